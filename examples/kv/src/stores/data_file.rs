//! The file, which is opened again after an error: redb refuses everything after a write that failed, for example because
//! the disk was full.

use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    sync::{PoisonError, RwLock, RwLockReadGuard},
};

use redb::{Builder, Database, Error, ReadTransaction, ReadableDatabase, WriteTransaction, backends::FileBackend};

/// Size of the cache in bytes.
const CACHE: usize = 64 << 20;

pub(super) struct DataFile {
    path: PathBuf,
    /// `None` after an error.
    database: RwLock<Option<Database>>,
}

/// Checks the checksums of the whole file when it is opened. Otherwise redb returns values that have changed on the disk.
fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE).set_check_integrity_on_open(true);
    builder
}

impl DataFile {
    /// Opens the file, or creates one that other users of the machine can't read, even in a directory that they can.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let database = RwLock::new(Some(builder().create_with_backend(FileBackend::new(options.open(path)?)?)?));
        Ok(Self { path: path.to_owned(), database })
    }

    /// Runs a write transaction, which is rolled back after an error. Only one may run at a time.
    pub(super) fn write<T, E: From<Error>>(
        &self,
        change: impl FnOnce(&WriteTransaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let opened = self.opened()?;
        let Some(database) = &*opened else { return Err(E::from(Error::DatabaseClosed)) };
        let done = written(database, change);
        let is_broken = done.is_err() && database.begin_write().is_err();
        drop(opened);
        if is_broken {
            self.close();
        }
        done
    }

    /// Runs a read transaction.
    pub(super) fn read<T>(&self, read: impl FnOnce(&ReadTransaction) -> Result<T, Error>) -> Result<T, Error> {
        let opened = self.opened()?;
        let Some(database) = &*opened else { return Err(Error::DatabaseClosed) };
        let done = database.begin_read().map_err(Error::from).and_then(|transaction| read(&transaction));
        drop(opened);
        if let Err(Error::Io(_) | Error::PreviousIo) = done {
            self.close();
        }
        done
    }

    fn close(&self) {
        *self.database.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Opens the file again after an error. A missing file is not created, because its entries would be lost.
    fn opened(&self) -> Result<RwLockReadGuard<'_, Option<Database>>, Error> {
        let opened = self.database.read().unwrap_or_else(PoisonError::into_inner);
        if opened.is_some() {
            return Ok(opened);
        }
        drop(opened);
        let mut database = self.database.write().unwrap_or_else(PoisonError::into_inner);
        if database.is_none() {
            *database = Some(builder().open(&self.path)?);
            tracing::warn!(path = %self.path.display(), "opened the file again after an error");
        }
        drop(database);
        Ok(self.database.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn written<T, E: From<Error>>(
    database: &Database,
    change: impl FnOnce(&WriteTransaction) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = database.begin_write().map_err(|error| E::from(error.into()))?;
    let done = change(&transaction)?;
    transaction.commit().map_err(|error| E::from(error.into()))?;
    Ok(done)
}
