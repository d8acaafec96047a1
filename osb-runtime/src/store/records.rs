//! The records of a broker, wherever they are.

use std::{fmt, sync::Arc};

use super::{Memory, Store};

/// The records of a broker's instances and bindings. Clones are the same records.
#[derive(Clone)]
pub struct Records(Arc<dyn Store>);

impl Records {
    /// Records that end with the process. Brokers that have clones of them work on the same instances, as replicas do.
    #[must_use]
    pub fn in_memory() -> Self {
        Self(Arc::new(Memory::new()))
    }

    /// Records in one file, which is made if it does not exist; only one process can have it open. Whatever is answered
    /// is on disk before. The file is read whole, and refused if any of it is damaged: 2 or 3 s for a GB.
    ///
    /// # Errors
    ///
    /// If the file can't be opened for writing, is held by another process, is no file of records, damaged, or written
    /// by a newer release.
    #[cfg(feature = "redb")]
    pub fn open(path: impl AsRef<std::path::Path>) -> Result<Self, super::OpenError> {
        Ok(Self(Arc::new(super::redb::Redb::open(path.as_ref(), super::codec::Codec)?)))
    }

    /// Writes what there is to write, and lets go of the file, which others can open then. Whatever still needs the
    /// records fails.
    pub async fn close(&self) {
        if let Err(error) = self.0.close().await {
            tracing::error!(%error, "the records can't be closed");
        }
    }

    /// Where they are.
    pub(crate) fn store(&self) -> &dyn Store {
        self.0.as_ref()
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").finish_non_exhaustive()
    }
}
