//! Opening a file, and what to say where that fails.

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

/// How much of the file is kept in memory.
const CACHE: usize = 128 << 20;

/// Whether a file that is not there, or is empty, is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Make {
    IfMissing,
    /// What had records before would come back without them, for instance where a disk was unmounted.
    Never,
}

/// Why a file of records can't be opened. Nothing in it was changed.
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
    /// The folder is not there.
    NoFolder,
    /// It was there before, or had records.
    Lost,
    /// It is a device, a pipe, or the like.
    NotAFile,
    /// Another process has it open.
    Held,
    /// It is something else, or damaged.
    Damaged(String),
    /// Another release's redb has written it.
    Redb(u8),
    /// Another release has.
    Layout(u64),
    /// With a key that was not given.
    Sealed {
        key: KeyId,
        records: u64,
        keys: bool,
    },
    /// So many records, although there are keys.
    NotSealed(u64),
    /// A record can't be read.
    Record(CodecError),
    /// The operating system says no.
    System(io::Error),
    Other(redb::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::NoFolder => write!(f, "{path} can't be made: its folder does not exist; make it first"),
            Why::Lost => {
                write!(
                    f,
                    "{path} does not exist, or is empty; bring it back (is its disk mounted?), or name another file"
                )
            }
            Why::NotAFile => write!(f, "{path} is no regular file; name another one"),
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
            Why::Sealed { key, records, keys } => {
                write!(f, "{path} is sealed, {records} of its records with the key {key}, ")?;
                f.write_str(match keys {
                    true => "which is none of those given; give it too, after the newest",
                    false => "and no key was given",
                })
            }
            Why::NotSealed(records) => write!(
                f,
                "{path} is not sealed, {records} of its records at least, as it was written without a key; seal it with \
                 `reseal` first"
            ),
            Why::Record(error) => write!(f, "{path} has a record that can't be read: {error}"),
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

/// Opens the file, or makes it.
pub(super) fn file(path: &Path, make: Make, codec: &Codec) -> Result<Database, OpenError> {
    let fail = |why| OpenError::new(path, why);
    let (file, is_new) = open_or_make(path, make).map_err(&fail)?;
    if !file.metadata().map_err(|error| fail(Why::System(error)))?.is_file() {
        return Err(fail(Why::NotAFile));
    }
    let backend = FileBackend::new(file).map_err(|error| fail(error.into()))?;
    #[cfg(feature = "failpoints")]
    let backend = super::mortal::Mortal(backend);
    let database = database(path, backend, make, codec)?;
    // Who made the file may have died before this.
    match sync_folder(path) {
        Err(error) if is_new => Err(fail(Why::System(error))),
        _ => Ok(database),
    }
}

/// A file's name has to last as well as what is in it.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

/// Opens it, or makes one that nobody else may read. Says whether it is new.
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

/// A database with the tables in it.
pub(super) fn database(
    path: &Path,
    backend: impl redb::StorageBackend,
    make: Make,
    codec: &Codec,
) -> Result<Database, OpenError> {
    // Of a file that somebody has tampered with, redb may panic.
    let opened = catch_unwind(AssertUnwindSafe(|| prepared(backend, make, codec)));
    let opened = opened.unwrap_or_else(|_| Err(Why::Damaged("its pages don't fit together".to_owned())));
    opened.map_err(|why| OpenError::new(path, why))
}

fn prepared(backend: impl redb::StorageBackend, make: Make, codec: &Codec) -> Result<Database, Why> {
    if make == Make::Never && backend.len().map_err(Why::System)? == 0 {
        return Err(Why::Lost);
    }
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
    let transaction = database.begin_read().map_err(redb::Error::from)?;
    for (seal, records) in tables::seals(&transaction)? {
        match (seal, &codec.keys) {
            (Some(key), keys) if !codec.opens(seal) => {
                return Err(Why::Sealed { key, records, keys: keys.is_some() });
            }
            (None, _) if !codec.opens(seal) => return Err(Why::NotSealed(records)),
            (Some(key), Some(keys)) if key != keys.newest() => {
                tracing::info!(%key, records, "some records are sealed with an older key, until they are sealed again");
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
