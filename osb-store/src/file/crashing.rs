//! A storage backend with failpoints in its writes (feature `failpoints`).

use std::{io, ops::Bound};

use redb::{BackendError, StorageBackend, backends::FileBackend};

use crate::failpoint;

#[derive(Debug)]
pub(super) struct CrashingBackend(pub(super) FileBackend);

impl StorageBackend for CrashingBackend {
    fn len(&self) -> Result<u64, io::Error> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        failpoint::reach("file.set_len");
        self.0.set_len(len)
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        failpoint::reach("file.sync");
        self.0.sync_data()?;
        failpoint::reach("file.synced");
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        failpoint::reach("file.write");
        // A half-written page is the worst state in which a process can leave the file.
        let (first, second) = data.split_at(data.len() / 2);
        self.0.write(offset, first)?;
        failpoint::reach("file.half_written");
        self.0.write(offset + first.len() as u64, second)
    }

    fn close(&self) -> Result<(), io::Error> {
        self.0.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.query_lock_range(start, end)
    }
}
