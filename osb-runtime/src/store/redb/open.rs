//! Opening a file, and what to say where that fails.

use std::{
    fmt,
    fs::{self, File},
    io::{self, ErrorKind},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use redb::{Builder, Database, DatabaseError, StorageError, backends::FileBackend};

use super::tables::{self, Unusable};

/// How much of the file is kept in memory.
const CACHE: usize = 128 << 20;

/// Why a file of records can't be opened. Nothing in it was changed.
#[derive(Debug)]
pub struct OpenError {
    path: PathBuf,
    why: Why,
}

#[derive(Debug)]
pub(super) enum Why {
    /// The folder is not there.
    NoFolder,
    /// Another process has it open.
    Held,
    /// It is something else, or damaged.
    Damaged(String),
    /// Another release's redb has written it.
    Redb(u8),
    /// Another release has.
    Layout(u64),
    /// The operating system says no.
    System(io::Error),
    Other(redb::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::NoFolder => write!(f, "{path} can't be made: its folder does not exist; make it first"),
            Why::Held => write!(f, "{path} is held by another process; end that, or use another file"),
            Why::Damaged(how) => write!(
                f,
                "{path} is no file of records, or it is damaged ({how}); use another file, or one from a backup"
            ),
            Why::Redb(version) => write!(
                f,
                "{path} has version {version} of the file format of redb, which this release does not read; open it with \
                 the release that wrote it"
            ),
            Why::Layout(version) => write!(
                f,
                "{path} was written by a newer release (layout {version}, and this one knows {}); use that release, or a \
                 backup from before it",
                tables::LAYOUT
            ),
            Why::System(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    write!(f, "{path} can't be opened: {error}; make room on that disk")
                }
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    write!(f, "{path} can't be opened for writing: {error}; this user needs to be able to write there")
                }
                ErrorKind::IsADirectory => write!(f, "{path} is a folder; name a file in it"),
                _ => write!(f, "{path} can't be opened: {error}"),
            },
            Why::Other(error) => write!(f, "{path} can't be opened: {error}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// Opens the file, which is made if it does not exist.
pub(super) fn file(path: &Path) -> Result<Database, OpenError> {
    let fail = |why| OpenError { path: path.to_owned(), why };
    let (file, made) = open_or_make(path).map_err(&fail)?;
    let backend = FileBackend::new(file).map_err(|error| fail(error.into()))?;
    #[cfg(feature = "failpoints")]
    let backend = super::mortal::Mortal(backend);
    // Of a file that somebody has tampered with, redb may panic.
    let opened = catch_unwind(AssertUnwindSafe(|| prepared(backend)));
    let database = opened.unwrap_or_else(|_| Err(Why::Damaged("its pages don't fit together".to_owned())));
    let database = database.map_err(&fail)?;
    if made && let Some(folder) = path.parent() {
        // The file's name has to last as well as what is in it.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| fail(Why::System(error)))?;
    }
    Ok(database)
}

/// Opens it, or makes one that nobody else may read. Says whether it is new.
fn open_or_make(path: &Path) -> Result<(File, bool), Why> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        opened => return opened.map(|file| (file, false)).map_err(Why::System),
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let made = options.create(true).open(path).map(|file| (file, true));
    made.map_err(|error| if error.kind() == ErrorKind::NotFound { Why::NoFolder } else { Why::System(error) })
}

/// A database with the tables in it.
pub(super) fn prepared(backend: impl redb::StorageBackend) -> Result<Database, Why> {
    // Without it a damaged page is found when it is read, by a panic, or not at all if it is one of values. It reads the
    // whole file, 2 or 3 s for a GB, as is done after each unclean end anyway.
    let mut builder = Builder::new();
    let database = builder.set_cache_size(CACHE).set_check_integrity_on_open(true).create_with_backend(backend)?;
    let transaction = database.begin_write().map_err(redb::Error::from)?;
    match tables::prepare(&transaction) {
        Ok(false) => transaction.abort().map_err(redb::Error::from)?,
        Ok(true) => transaction.commit().map_err(redb::Error::from)?,
        Err(Unusable::Layout(Some(version))) => return Err(Why::Layout(version)),
        Err(Unusable::Layout(None)) => return Err(Why::Damaged("it has other tables".to_owned())),
        Err(Unusable::Failed(error)) => return Err(error.into()),
    }
    Ok(database)
}

impl From<redb::Error> for Why {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => Self::Held,
            redb::Error::UpgradeRequired(version) => Self::Redb(version),
            redb::Error::Corrupted(how) => Self::Damaged(how),
            // What is too short, or begins with something else.
            redb::Error::Io(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
                Self::Damaged(error.to_string())
            }
            redb::Error::Io(error) => Self::System(error),
            other => Self::Other(other),
        }
    }
}

impl From<DatabaseError> for Why {
    fn from(error: DatabaseError) -> Self {
        redb::Error::from(error).into()
    }
}

impl From<StorageError> for Why {
    fn from(error: StorageError) -> Self {
        redb::Error::from(error).into()
    }
}
