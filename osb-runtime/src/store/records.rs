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
    /// is on disk before. The file is read whole, and refused if any of it is damaged: 2 or 3 s for a GB. With
    /// [`Keys`](super::Keys) it is sealed; without, whoever can read the file can read parameters and credentials.
    ///
    /// ```
    /// use osb_runtime::store::{Keys, Records};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("kv.redb");
    /// let keys: Keys = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea".parse()?;
    /// let records = Records::open(path, keys)?;
    ///
    /// let mut settings = osb_runtime::lifecycle::Settings::default();
    /// settings.store = records;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the file can't be opened for writing, is held by another process, is no file of records, damaged, written by a
    /// newer release, sealed with a key that is not given, or not sealed although keys are given: [`reseal`](Self::reseal) it
    /// first.
    #[cfg(feature = "redb")]
    pub fn open(
        path: impl AsRef<std::path::Path>,
        keys: impl Into<Option<super::Keys>>,
    ) -> Result<Self, super::OpenError> {
        let codec = super::codec::Codec { keys: keys.into(), reads_unsealed: false };
        Ok(Self(Arc::new(super::redb::Redb::open(path.as_ref(), codec)?)))
    }

    /// Seals a file of records again, with the first of the keys: those that are sealed with another one of them, and
    /// those that are not sealed. A new file is written beside it and takes its place, so that nothing is lost if that is
    /// interrupted, and nothing is left in it that was readable before. Returns how many records there are.
    ///
    /// The blocks of the old file are not overwritten on the disk.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); the file has to exist, and no process may hold it.
    #[cfg(feature = "redb")]
    pub fn reseal(path: impl AsRef<std::path::Path>, keys: super::Keys) -> Result<u64, super::OpenError> {
        super::redb::reseal(path.as_ref(), &super::codec::Codec { keys: Some(keys), reads_unsealed: true })
    }

    /// Writes what there is to write, and lets go of the file, which others can open then. Whatever still needs the
    /// records fails; handlers have to be at their end by now, as whoever opens the file next calls them again.
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
