//! The files, and the notes about who was called to make them.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use osb_runtime::prelude::Work;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// What an instance is: the content of a file named after the operation that made it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Thing {
    pub(super) instance: String,
    pub(super) plan: String,
    pub(super) text: String,
    pub(super) blocks: u32,
}

/// What a binding is, likewise.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pass {
    pub(super) instance: String,
    pub(super) binding: String,
    pub(super) secret: String,
}

#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) things: PathBuf,
    pub(super) passes: PathBuf,
    notes: Arc<File>,
}

impl Folder {
    pub(super) fn calls(folder: &Path) -> PathBuf {
        folder.join("calls")
    }

    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let (things, passes) = (folder.join("things"), folder.join("passes"));
        fs::create_dir_all(&things)?;
        fs::create_dir_all(&passes)?;
        let notes = Arc::new(File::options().create(true).append(true).open(Self::calls(folder))?);
        Ok(Self { things, passes, notes })
    }

    /// Notes that a handler was called; the rest of the call is noted by what this gives back.
    pub(super) fn called<S: DeserializeOwned + Serialize>(
        &self,
        handler: &'static str,
        thing: &str,
        work: &Work<S>,
        from: Option<u32>,
    ) -> io::Result<Call> {
        let who = format!("{} {} {} {handler} {thing}", std::process::id(), work.operation_id(), work.attempt());
        let call = Call { notes: Arc::clone(&self.notes), who };
        call.note(&from.map_or_else(|| "begun".to_owned(), |from| format!("begun {from}")))?;
        Ok(call)
    }
}

/// Writes over what is there, in two steps.
pub(super) fn write(path: &Path, content: &impl Serialize) -> io::Result<()> {
    fs::write(path, serde_json::to_vec(content)?)
}

/// Removes what may be gone already.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A handler at work. When it ends, in whatever way but the death of the process, that is noted too.
pub(super) struct Call {
    notes: Arc<File>,
    who: String,
}

impl Call {
    /// One write, at the end of the file: what a process has written stays if it is killed.
    pub(super) fn note(&self, what: &str) -> io::Result<()> {
        (&*self.notes).write_all(format!("{} {what}\n", self.who).as_bytes())
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // Without it the check complains.
        let _ = self.note("over");
    }
}
