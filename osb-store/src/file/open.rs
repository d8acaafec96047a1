//! Opens a records file.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, ErrorKind},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use osb_runtime::store::read_version_1;
use redb::{Builder, Database, ReadableDatabase, backends::FileBackend};

use super::{
    open_error::{OpenError, OpenFailure},
    tables::{self, Facts, Found, PrepareError},
};
use crate::codec::{Codec, CodecError};

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
    if metadata.len() == 0 && !is_new && creation != Creation::Never {
        return Err(fail(OpenFailure::Empty));
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
                return Err(OpenFailure::KeyMissing { key, records, has_keys: keys.is_some() });
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
