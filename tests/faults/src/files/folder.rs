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
pub(super) struct StoredFile {
    pub(super) instance: String,
    pub(super) plan: String,
    pub(super) text: String,
    pub(super) blocks: u32,
}

/// A binding: the content of a file as for an instance.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredSecret {
    pub(super) instance: String,
    pub(super) binding: String,
    pub(super) secret: String,
}

#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) files_dir: PathBuf,
    pub(super) secrets_dir: PathBuf,
    notes: Arc<File>,
}

impl Folder {
    pub(super) fn calls(folder: &Path) -> PathBuf {
        folder.join("calls")
    }

    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let (files_dir, secrets_dir) = (folder.join("files"), folder.join("secrets"));
        fs::create_dir_all(&files_dir)?;
        fs::create_dir_all(&secrets_dir)?;
        let notes = Arc::new(File::options().create(true).append(true).open(Self::calls(folder))?);
        Ok(Self { files_dir, secrets_dir, notes })
    }

    /// Logs that a handler was called; the returned value logs the rest of the call.
    pub(super) fn called<S: DeserializeOwned + Serialize>(
        &self,
        handler: &'static str,
        resource: &str,
        operation: &Operation<S>,
        from: Option<u32>,
    ) -> io::Result<Call> {
        let prefix = format!("{} {} {} {handler} {resource}", std::process::id(), operation.id(), operation.attempt());
        let call = Call { notes: Arc::clone(&self.notes), prefix };
        call.note(&from.map_or_else(|| "started".to_owned(), |from| format!("started {from}")))?;
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
    prefix: String,
}

impl Call {
    /// Appends a line in one write, so that it survives a kill.
    pub(super) fn note(&self, event: &str) -> io::Result<()> {
        (&*self.notes).write_all(format!("{} {event}\n", self.prefix).as_bytes())
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // Without this line the check fails.
        let _ = self.note("ended");
    }
}
