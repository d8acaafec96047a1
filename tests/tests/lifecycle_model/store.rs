//! The store of a simulated broker.

use std::time::{Duration, Instant};

use osb_runtime::store::Records;
use osb_store::{Keys, Redb};
use tempfile::TempDir;

pub(crate) enum Store {
    Memory,
    /// A sealed file in this folder.
    File(TempDir),
}

impl Store {
    /// Makes a file, on a file system in memory if there is one, for speed.
    pub(crate) fn file() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        Self::File(folder.expect("a temporary folder is created"))
    }

    pub(crate) fn open(&self) -> Records {
        let Self::File(folder) = self else { return Records::in_memory() };
        let keys: Keys = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea".parse().expect("a key");
        let start = Instant::now();
        loop {
            match Redb::open(folder.path().join("records.redb"), keys.clone()) {
                Ok(records) => return records.into(),
                // Threads of the process that died may still hold the file.
                Err(error) => assert!(start.elapsed() < Duration::from_secs(10), "{error}"),
            }
            std::thread::yield_now();
        }
    }
}
