//! Opens a records file, and explains failures to do so.

use std::{
    ffi::OsString,
    fmt,
    fs::{self, File},
    io::{self, ErrorKind},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use osb_runtime::store::read_version_1;
use redb::{Builder, Database, DatabaseError, ReadableDatabase, StorageError, backends::FileBackend};

use super::tables::{self, Facts, Found, PrepareError};
use crate::{
    codec::{Codec, CodecError},
    seal::KeyId,
};

/// Size of redb's page cache in bytes.
const CACHE: usize = 128 << 20;

/// Largest number of links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// The choice between creating a file and opening an existing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Creation {
    /// For a copy, which never takes the place of a file that exists.
    Always,
    IfMissing,
    /// For a file that had records: a new one would lose them, for example while its disk is unmounted.
    Never,
}

/// The error of opening a records file, which leaves the file unchanged.
#[derive(Debug)]
pub struct OpenError {
    path: PathBuf,
    failure: OpenFailure,
}

impl OpenError {
    /// Returns whether the given keys don't fit the records. Opening the file again with the same keys fails too.
    #[must_use]
    pub fn is_wrong_key(&self) -> bool {
        matches!(
            self.failure,
            OpenFailure::KeyMissing { .. } | OpenFailure::UnsealedRecords(_) | OpenFailure::PartlySealed
        )
    }

    pub(super) fn new(path: &Path, failure: OpenFailure) -> Self {
        Self { path: path.to_owned(), failure }
    }
}

/// The reason why a file could not be opened.
#[derive(Debug)]
pub(super) enum OpenFailure {
    /// The folder does not exist.
    FolderMissing,
    /// The file should exist and have records, but is missing or empty.
    FileLost,
    /// The file is empty, as after a full disk or an interrupted copy.
    Empty,
    /// The file to create exists.
    Exists,
    /// The path names a device, a pipe or the like.
    NotRegularFile,
    /// Another process has the file open.
    InUse,
    /// The file has another format, or is damaged.
    Damaged(String),
    /// The file has another version of redb's file format.
    RedbVersion(u8),
    /// A newer release wrote the file, with this layout.
    LayoutVersion(u64),
    /// Records are sealed with a key that isn't among the given ones; `keys` is false if no key was given.
    KeyMissing {
        key: KeyId,
        records: u64,
        keys: bool,
    },
    /// Keys were given, and this number of records isn't sealed.
    UnsealedRecords(u64),
    /// Some records are sealed, and others are not, which no broker writes into one file.
    PartlySealed,
    UnreadableRecord(CodecError),
    Io(io::Error),
    Redb(redb::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.failure {
            OpenFailure::FolderMissing => {
                write!(f, "{path} can't be created: its folder does not exist; create the folder first")
            }
            OpenFailure::FileLost => {
                write!(f, "{path} does not exist or is empty; restore it (is its disk mounted?) or use another file")
            }
            OpenFailure::Empty => write!(
                f,
                "{path} is empty: it has lost its records, or was never a records file; restore a backup, or delete it \
                 to begin without records"
            ),
            OpenFailure::Exists => write!(
                f,
                "{path} exists, perhaps from a run that was interrupted; if no other process is writing it, move it or remove \
                 it, and try again"
            ),
            OpenFailure::NotRegularFile => write!(f, "{path} is not a regular file; use another path"),
            OpenFailure::InUse => {
                write!(f, "{path} is in use by another process; stop that process or use another file")
            }
            OpenFailure::Damaged(how) => write!(
                f,
                "{path} is not a records file, or it is damaged ({how}); use another file or restore a backup"
            ),
            OpenFailure::RedbVersion(version) => write!(
                f,
                "{path} has version {version} of redb's file format, which this release can't read; open it with the \
                 release that wrote it"
            ),
            OpenFailure::LayoutVersion(version) => write!(
                f,
                "{path} was written by a newer release (layout {version}; this release knows layout {}); use that \
                 release, or restore a backup from before the upgrade",
                tables::LAYOUT
            ),
            OpenFailure::KeyMissing { key, records, keys } => {
                let (plural, are) = if *records == 1 { ("", "is") } else { ("s", "are") };
                write!(f, "{records} record{plural} in {path} {are} encrypted with the key {key}, ")?;
                f.write_str(match keys {
                    true => "which is not among the given keys; add that key after the newest one",
                    false => "and no key was given; give that key",
                })
            }
            OpenFailure::UnsealedRecords(records) => write!(
                f,
                "{path} was written without a key, and has records that are not encrypted ({records}); encrypt them with \
                 `reseal` first"
            ),
            OpenFailure::PartlySealed => write!(
                f,
                "{path} has encrypted records, and others that are not: another program wrote those, and they may be forged; \
                 restore a backup"
            ),
            OpenFailure::UnreadableRecord(error) => write!(f, "{path} has an unreadable record: {error}"),
            OpenFailure::Io(error) => match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    write!(f, "{path} can't be written: {error}; free space on that disk")
                }
                ErrorKind::PermissionDenied => {
                    write!(f, "{path} can't be opened for writing: {error}; this user needs permission to write there")
                }
                ErrorKind::ReadOnlyFilesystem => write!(
                    f,
                    "{path} can't be opened for writing: {error}; use a file on a volume that can be written, or, if this one \
                     could be before, see the system's log: an error of the disk can make it read-only"
                ),
                ErrorKind::IsADirectory => write!(f, "{path} is a folder; name a file in it"),
                _ => write!(f, "{path} can't be opened: {error}"),
            },
            OpenFailure::Redb(error) => write!(f, "{path} can't be opened: {error}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// Opens the file, or creates it.
pub(super) fn file(path: &Path, creation: Creation, codec: &Codec) -> Result<Database, OpenError> {
    let fail = |failure| OpenError::new(path, failure);
    let existing = open_existing(path).map_err(&fail)?;
    // A link counts, even to a file that doesn't exist: the file would be created there, and the link take its later name.
    if creation == Creation::Always && fs::symlink_metadata(path).is_ok() {
        return Err(fail(OpenFailure::Exists));
    }
    let is_new = existing.is_none();
    // Links to a file that does not exist yet stay links. Opening has refused those that make a circle.
    let target = std::iter::successors(Some(path.to_owned()), |link| {
        fs::read_link(link).ok().map(|target| link.with_file_name("").join(target))
    });
    let target = target.take(MAX_LINKS + 1).last();
    let path = target.as_deref().unwrap_or(path);
    let (file, new_path) = match existing {
        Some(file) => (file, path.to_owned()),
        None if creation == Creation::Never => return Err(fail(OpenFailure::FileLost)),
        None => create_beside(path).map_err(&fail)?,
    };
    let metadata = file.metadata().map_err(|error| fail(OpenFailure::Io(error)))?;
    if !metadata.is_file() {
        return Err(fail(OpenFailure::NotRegularFile));
    }
    if metadata.len() == 0 && !is_new {
        return Err(fail(if creation == Creation::Never { OpenFailure::FileLost } else { OpenFailure::Empty }));
    }
    let opened = locked(file, &new_path, creation, codec).map_err(&fail);
    let named = opened.and_then(|database| {
        if is_new {
            give_name(&new_path, path).map_err(&fail)?;
        }
        Ok(database)
    });
    if is_new && named.is_err() {
        // The file takes up the space of a full disk. The first error is reported.
        _ = fs::remove_file(&new_path);
    }
    let database = named?;
    // Also for an old file: the process that created it may have died before it did this.
    match sync_folder(path) {
        Err(error) if is_new => Err(fail(OpenFailure::Io(error))),
        _ => Ok(database),
    }
}

/// Opens the database in a file that was opened at this path, and locks it.
pub(super) fn locked(file: File, path: &Path, creation: Creation, codec: &Codec) -> Result<Database, OpenFailure> {
    let identity = Identity::from(&file.metadata().map_err(OpenFailure::Io)?);
    let backend = FileBackend::new(file)?;
    #[cfg(feature = "failpoints")]
    let backend = super::crashing::CrashingBackend(backend);
    let database = database(backend, creation, codec)?;
    // `reseal` may have replaced the file between the two. Everything that is written to the old one would be lost.
    match Identity::of(path) {
        Ok(found) if found == identity => Ok(database),
        _ => Err(OpenFailure::InUse),
    }
}

/// Gives a new file its name only when it is complete, so that an empty file is never one that was being created.
pub(super) fn give_name(new_path: &Path, path: &Path) -> Result<(), OpenFailure> {
    match fs::hard_link(new_path, path) {
        Ok(()) => fs::remove_file(new_path).map_err(OpenFailure::Io),
        Err(error) if error.kind() == ErrorKind::AlreadyExists || fs::symlink_metadata(path).is_ok() => {
            Err(OpenFailure::InUse)
        }
        // Some file systems have no hard links.
        Err(_) => fs::rename(new_path, path).map_err(OpenFailure::Io),
    }
}

/// Makes the file's name durable: syncing a file does not sync its directory entry. Windows, which can't open folders as files,
/// writes names to the journal of the file system.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
}

fn open_existing(path: &Path) -> Result<Option<File>, OpenFailure> {
    match fs::OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some).map_err(OpenFailure::Io),
    }
}

/// Creates a file that only this user can read, under a name like that of `path` that no other file has. A process that dies before
/// [`give_name`] leaves it behind: under a fixed name it could not be told from a backup.
fn create_beside(path: &Path) -> Result<(File, PathBuf), OpenFailure> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| OpenFailure::Io(io::Error::other(error.to_string())))?;
    let mut name = OsString::from(path);
    name.push(format!(".{:016x}.new", u64::from_le_bytes(random)));
    let name = PathBuf::from(name);
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&name) {
        Ok(file) => Ok((file, name)),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(OpenFailure::FolderMissing),
        Err(error) => Err(OpenFailure::Io(error)),
    }
}

/// The identity of an open file, to notice that it was deleted or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity(#[cfg(unix)] (u64, u64));

impl Identity {
    /// Returns the identity of the file that has this path now.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|metadata| Self::from(&metadata))
    }
}

impl From<&fs::Metadata> for Identity {
    #[cfg(unix)]
    fn from(metadata: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self((metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn from(_: &fs::Metadata) -> Self {
        Self()
    }
}

/// Opens a database, and creates its tables if it is new.
pub(super) fn database(
    backend: impl redb::StorageBackend,
    creation: Creation,
    codec: &Codec,
) -> Result<Database, OpenFailure> {
    // redb can panic on a file that was tampered with.
    let opened = catch_unwind(AssertUnwindSafe(|| prepared(backend, creation, codec)));
    opened.unwrap_or_else(|_| Err(OpenFailure::Damaged("its pages are inconsistent".to_owned())))
}

fn prepared(backend: impl redb::StorageBackend, creation: Creation, codec: &Codec) -> Result<Database, OpenFailure> {
    if creation == Creation::Never && backend.len().map_err(OpenFailure::Io)? == 0 {
        return Err(OpenFailure::FileLost);
    }
    // Without the check, a damaged page causes a panic when it is read, or goes unnoticed if it holds values. The check
    // reads the whole file, 2 to 3 s for a GB, which redb does after an unclean shutdown anyway.
    let mut builder = Builder::new();
    let database = builder.set_cache_size(CACHE).set_check_integrity_on_open(true).create_with_backend(backend)?;
    let transaction = database.begin_write().map_err(redb::Error::from)?;
    let found = match tables::prepare(&transaction) {
        Ok(Found::New) => transaction.commit().map(|()| Found::New).map_err(redb::Error::from)?,
        Ok(found) => transaction.abort().map(|()| found).map_err(redb::Error::from)?,
        Err(PrepareError::UnknownLayout(Some(version))) => return Err(OpenFailure::LayoutVersion(version)),
        Err(PrepareError::UnknownLayout(None)) => return Err(OpenFailure::Damaged("it has unknown tables".to_owned())),
        Err(PrepareError::Redb(error)) => return Err(error.into()),
    };
    let transaction = database.begin_read().map_err(redb::Error::from)?;
    let seals = tables::seals(&transaction)?;
    if seals.len() > 1 && seals.iter().any(|(seal, _)| seal.is_none()) {
        return Err(OpenFailure::PartlySealed);
    }
    for (seal, records) in seals {
        match (seal, &codec.keys) {
            (Some(key), keys) if !codec.opens(seal) => {
                return Err(OpenFailure::KeyMissing { key, records, keys: keys.is_some() });
            }
            (None, _) if !codec.opens(seal) => return Err(OpenFailure::UnsealedRecords(records)),
            (Some(key), Some(keys)) if key != keys.newest() => {
                tracing::info!(%key, records, "some records are still encrypted with an older key; reseal them to retire it");
            }
            _ => {}
        }
    }
    drop(transaction);
    if found == Found::First {
        convert(&database, codec)?;
    }
    Ok(database)
}

/// Converts the records of version 1, all or none.
fn convert(database: &Database, codec: &Codec) -> Result<(), OpenFailure> {
    let transaction = database.begin_write().map_err(redb::Error::from)?;
    let records = tables::convert(&transaction, |key, stored| -> Result<_, OpenFailure> {
        let plain = codec.open(key, stored).map_err(OpenFailure::UnreadableRecord)?;
        let records = read_version_1(key, &plain).map_err(|error| OpenFailure::UnreadableRecord(error.into()))?;
        let sealed = records.into_iter().map(|(key, record)| {
            let key = key.to_bytes();
            let sealed = codec.seal(&key, &Codec::write(&record)?)?;
            Ok((key, sealed, Facts::of(Some(&record))))
        });
        sealed.collect::<Result<Vec<_>, CodecError>>().map_err(OpenFailure::UnreadableRecord)
    })?;
    transaction.commit().map_err(redb::Error::from)?;
    tracing::info!(records, "converted the records of an earlier release; that release can no longer open the file");
    Ok(())
}

impl From<redb::Error> for OpenFailure {
    fn from(error: redb::Error) -> Self {
        match error {
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => Self::InUse,
            redb::Error::UpgradeRequired(version) => Self::RedbVersion(version),
            redb::Error::Corrupted(how) => Self::Damaged(how),
            // The file is too short, or has no redb header.
            redb::Error::Io(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => {
                Self::Damaged(error.to_string())
            }
            redb::Error::Io(error) => Self::Io(error),
            other => Self::Redb(other),
        }
    }
}

impl From<DatabaseError> for OpenFailure {
    fn from(error: DatabaseError) -> Self {
        redb::Error::from(error).into()
    }
}

impl From<StorageError> for OpenFailure {
    fn from(error: StorageError) -> Self {
        redb::Error::from(error).into()
    }
}
