//! The files, and the call log.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use osb_runtime::prelude::Operation;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// An instance: the content of a file that is named after the operation that created it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Thing {
    pub(super) instance: String,
    pub(super) plan: String,
    pub(super) text: String,
    pub(super) blocks: u32,
}

/// A binding: the content of a file as for an instance.
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

    /// Logs that a handler was called; the returned value logs the rest of the call.
    pub(super) fn called<S: DeserializeOwned + Serialize>(
        &self,
        handler: &'static str,
        thing: &str,
        operation: &Operation<S>,
        from: Option<u32>,
    ) -> io::Result<Call> {
        let who = format!("{} {} {} {handler} {thing}", std::process::id(), operation.id(), operation.attempt());
        let call = Call { notes: Arc::clone(&self.notes), who };
        call.note(&from.map_or_else(|| "begun".to_owned(), |from| format!("begun {from}")))?;
        Ok(call)
    }
}

/// Replaces a file in two steps.
pub(super) fn write(path: &Path, content: &impl Serialize) -> io::Result<()> {
    fs::write(path, serde_json::to_vec(content)?)
}

/// Removes a file that may be missing.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A running handler. Its end is logged too, unless the process dies.
pub(super) struct Call {
    notes: Arc<File>,
    who: String,
}

impl Call {
    /// Appends a line in one write, so that it survives a kill.
    pub(super) fn note(&self, what: &str) -> io::Result<()> {
        (&*self.notes).write_all(format!("{} {what}\n", self.who).as_bytes())
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // Without this line the check fails.
        let _ = self.note("over");
    }
}
