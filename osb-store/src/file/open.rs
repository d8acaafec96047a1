//! Opens a file of records, and explains failures to do so.

use std::{
    fmt,
    fs::{self, File},
    io::{self, ErrorKind},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use redb::{Builder, Database, DatabaseError, ReadableDatabase, StorageError, backends::FileBackend};

use super::tables::{self, Unusable};
use crate::{
    codec::{Codec, CodecError},
    seal::KeyId,
};

/// Size of redb's page cache in bytes.
const CACHE: usize = 128 << 20;

/// The choice between creating a missing or empty file and refusing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Make {
    IfMissing,
    /// For a file that had records: a new one would lose them, for example while its disk is unmounted.
    Never,
}

/// The error of opening a file of records, which leaves the file unchanged.
#[derive(Debug)]
pub struct OpenError {
    path: PathBuf,
    why: Why,
}

impl OpenError {
    pub(super) fn new(path: &Path, why: Why) -> Self {
        Self { path: path.to_owned(), why }
    }
}

#[derive(Debug)]
pub(super) enum Why {
    /// The folder does not exist.
    NoFolder,
    /// The file should exist and have records, but is missing or empty.
    Lost,
    /// The path names a device, a pipe or the like.
    NotAFile,
    /// Another process has the file open.
    Held,
    /// The file has another format, or is damaged.
    Damaged(String),
    /// The file has another version of redb's file format.
    Redb(u8),
    /// A newer release wrote the file, with this layout.
    Layout(u64),
    /// Records are sealed with a key that isn't among the given ones; `keys` is false if no key was given.
    Sealed {
        key: KeyId,
        records: u64,
        keys: bool,
    },
    /// Keys were given, and this number of records isn't sealed.
    NotSealed(u64),
    Record(CodecError),
    System(io::Error),
    Other(redb::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::NoFolder => write!(f, "{path} can't be created: its folder does not exist; create the folder first"),
            Why::Lost => {
                write!(f, "{path} does not exist or is empty; restore it (is its disk mounted?) or use another file")
            }
            Why::NotAFile => write!(f, "{path} is not a regular file; use another path"),
            Why::Held => write!(f, "{path} is in use by another process; stop that process or use another file"),
            Why::Damaged(how) => write!(
                f,
                "{path} is not a file of records, or it is damaged ({how}); use another file or restore a backup"
            ),
            Why::Redb(version) => write!(
                f,
                "{path} has version {version} of redb's file format, which this release can't read; open it with the \
                 release that wrote it"
            ),
            Why::Layout(version) => write!(
                f,
                "{path} was written by a newer release (layout {version}; this release knows layout {}); use that \
                 release, or restore a backup from before the upgrade",
                tables::LAYOUT
            ),
            Why::Sealed { key, records, keys } => {
                write!(f, "{path} is sealed, with the key {key} for {records} of its records, ")?;
                f.write_str(match keys {
                    true => "which is not among the given keys; add that key after the newest one",
                    false => "and no key was given; give that key",
                })
            }
            Why::NotSealed(records) => write!(
                f,
                "{path} was written without a key, and has unsealed records ({records}); seal them with `reseal` first"
            ),
            Why::Record(error) => write!(f, "{path} has an unreadable record: {error}"),
            Why::System(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    write!(f, "{path} can't be opened: {error}; free space on that disk")
                }
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                    write!(f, "{path} can't be opened for writing: {error}; this user needs permission to write there")
                }
                ErrorKind::IsADirectory => write!(f, "{path} is a folder; name a file in it"),
                _ => write!(f, "{path} can't be opened: {error}"),
            },
            Why::Other(error) => write!(f, "{path} can't be opened: {error}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// Opens the file, or creates it.
pub(super) fn file(path: &Path, make: Make, codec: &Codec) -> Result<Database, OpenError> {
    let fail = |why| OpenError::new(path, why);
    let (file, is_new) = open_or_make(path, make).map_err(&fail)?;
    if !file.metadata().map_err(|error| fail(Why::System(error)))?.is_file() {
        return Err(fail(Why::NotAFile));
    }
    let backend = FileBackend::new(file).map_err(|error| fail(error.into()))?;
    #[cfg(feature = "failpoints")]
    let backend = super::crashing::CrashingBackend(backend);
    let database = database(path, backend, make, codec)?;
    // Also for an old file: the process that created it may have died before it did this.
    match sync_folder(path) {
        Err(error) if is_new => Err(fail(Why::System(error))),
        _ => Ok(database),
    }
}

/// Makes the file's name durable: syncing a file does not sync its directory entry.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Opens the file, or creates one that only this user can read. Returns true for a new file.
fn open_or_make(path: &Path, make: Make) -> Result<(File, bool), Why> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && make == Make::Never => return Err(Why::Lost),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        opened => return opened.map(|file| (file, false)).map_err(Why::System),
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options.create(true).open(path).map(|file| (file, true));
    opened.map_err(|error| if error.kind() == ErrorKind::NotFound { Why::NoFolder } else { Why::System(error) })
}

/// Opens a database, and creates its tables if it is new.
pub(super) fn database(
    path: &Path,
    backend: impl redb::StorageBackend,
    make: Make,
    codec: &Codec,
) -> Result<Database, OpenError> {
    // redb can panic on a file that was tampered with.
    let opened = catch_unwind(AssertUnwindSafe(|| prepared(backend, make, codec)));
    let opened = opened.unwrap_or_else(|_| Err(Why::Damaged("its pages are inconsistent".to_owned())));
    opened.map_err(|why| OpenError::new(path, why))
}

fn prepared(backend: impl redb::StorageBackend, make: Make, codec: &Codec) -> Result<Database, Why> {
    if make == Make::Never && backend.len().map_err(Why::System)? == 0 {
        return Err(Why::Lost);
    }
    // Without the check, a damaged page causes a panic when it is read, or goes unnoticed if it holds values. The check
    // reads the whole file, 2 to 3 s for a GB, which redb does after an unclean shutdown anyway.
    let mut builder = Builder::new();
    let database = builder.set_cache_size(CACHE).set_check_integrity_on_open(true).create_with_backend(backend)?;
    let transaction = database.begin_write().map_err(redb::Error::from)?;
    match tables::prepare(&transaction) {
        Ok(false) => transaction.abort().map_err(redb::Error::from)?,
        Ok(true) => transaction.commit().map_err(redb::Error::from)?,
        Err(Unusable::Layout(Some(version))) => return Err(Why::Layout(version)),
        Err(Unusable::Layout(None)) => return Err(Why::Damaged("it has unknown tables".to_owned())),
        Err(Unusable::Failed(error)) => return Err(error.into()),
    }
    let transaction = database.begin_read().map_err(redb::Error::from)?;
    for (seal, records) in tables::seals(&transaction)? {
        match (seal, &codec.keys) {
            (Some(key), keys) if !codec.opens(seal) => {
                return Err(Why::Sealed { key, records, keys: keys.is_some() });
            }
            (None, _) if !codec.opens(seal) => return Err(Why::NotSealed(records)),
            (Some(key), Some(keys)) if key != keys.newest() => {
                tracing::info!(%key, records, "some records are still sealed with an older key; reseal them to retire it");
            }
            _ => {}
        }
    }
    Ok(database)
}

impl From<redb::Error> for Why {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => Self::Held,
            redb::Error::UpgradeRequired(version) => Self::Redb(version),
            redb::Error::Corrupted(how) => Self::Damaged(how),
            // The file is too short, or has no redb header.
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
