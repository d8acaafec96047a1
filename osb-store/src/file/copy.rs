//! Copies the records of another store into a new file.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use osb_runtime::store::Store;
use redb::Database;
use tokio::task::spawn_blocking;

use super::{
    Redb,
    open::{self, Creation},
    open_error::{OpenError, OpenFailure},
    tables::{self, Facts},
};
use crate::{
    codec::{Codec, CodecError},
    copied::{Copied, CopyError, CountedPages, Progress},
    seal::Keys,
};

impl Redb {
    /// Copies all records of a store into a new file, all or none. No broker may use the store meanwhile.
    ///
    /// # Errors
    ///
    /// If the file exists already, the records can't be read, or the file can't be written.
    pub async fn copy_from(
        store: &dyn Store,
        path: impl AsRef<Path>,
        keys: impl Into<Option<Keys>>,
        progress: Progress<'_>,
    ) -> Result<Copied, CopyError> {
        let (path, codec) = (path.as_ref().to_owned(), Codec { keys: keys.into(), reads_unsealed: false });
        if path.exists() {
            return Err(CopyError::NotEmpty(format!("the file {} exists, and perhaps", path.display())));
        }
        let mut name = OsString::from(&path);
        name.push(".copy");
        let partial = PathBuf::from(name);
        let database = open::file(&partial, Creation::Always, &codec).map_err(CopyError::write)?;
        let copied = fill(store, (database, &partial), codec, progress).await;
        let moved = copied.and_then(|copied| {
            let named = open::give_name(&partial, &path)
                .and_then(|()| open::sync_folder(&path).map_err(OpenFailure::Io))
                .map_err(|failure| OpenError::new(&path, failure));
            named.map(|()| copied).map_err(CopyError::write)
        });
        if moved.is_err() {
            // The error is the first one.
            _ = fs::remove_file(&partial);
        }
        moved
    }
}

async fn fill(
    store: &dyn Store,
    (database, path): (Database, &Path),
    codec: Codec,
    progress: Progress<'_>,
) -> Result<Copied, CopyError> {
    let broken = |error: redb::Error| CopyError::write(OpenError::new(path, error.into()));
    let mut pages = CountedPages::new(store, progress);
    while let Some(page) = pages.next().await.map_err(CopyError::Read)? {
        let transaction = database.begin_write().map_err(|error| broken(error.into()))?;
        for (key, record) in &page {
            let key = key.to_bytes();
            let sealed = Codec::write(record).and_then(|plain| codec.seal(&key, &plain));
            let sealed = sealed.map_err(|error: CodecError| CopyError::write(error))?;
            let facts = Facts::of(Some(record));
            tables::put(&transaction, &key, Some(&sealed), &Facts::default(), &facts).map_err(broken)?;
        }
        let committed = spawn_blocking(move || transaction.commit()).await.map_err(CopyError::write)?;
        committed.map_err(|error| broken(error.into()))?;
    }
    database.close().map_err(|error| broken(error.into()))?;
    Ok(pages.copied)
}
