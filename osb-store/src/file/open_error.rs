//! The reasons why a records file can't be opened.

use std::{
    fmt,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use redb::{DatabaseError, StorageError};

use super::tables;
use crate::{codec::CodecError, seal::KeyId};

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

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, failure) = (self.path.display(), &self.failure);
        match failure {
            OpenFailure::KeyMissing { records: 1, .. } => write!(f, "1 record in {path} is {failure}"),
            OpenFailure::KeyMissing { records, .. } => write!(f, "{records} records in {path} are {failure}"),
            _ => write!(f, "{path} {failure}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// The reason why a file could not be opened. The texts follow the path of the file.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenFailure {
    #[error("can't be created: its folder does not exist; create the folder first")]
    FolderMissing,
    /// The file should exist and have records.
    #[error("does not exist or is empty; restore it (is its disk mounted?) or use another file")]
    FileLost,
    /// As after a full disk or an interrupted copy.
    #[error(
        "is empty: it has lost its records, or was never a records file; restore a backup, or delete it to begin without \
         records"
    )]
    Empty,
    /// The file to create exists.
    #[error(
        "exists, perhaps from a run that was interrupted; if no other process is writing it, move it or remove it, and try \
         again"
    )]
    Exists,
    /// The path names a device, a pipe or the like.
    #[error("is not a regular file; use another path")]
    NotRegularFile,
    #[error("is in use by another process; stop that process or use another file")]
    InUse,
    #[error("is not a records file, or it is damaged ({0}); use another file or restore a backup")]
    Damaged(String),
    #[error(
        "has version {0} of redb's file format, which this release can't read; open it with the release that wrote it"
    )]
    RedbVersion(u8),
    #[error(
        "was written by a newer release (layout {0}; this release knows layout {known}); use that release, or restore a \
         backup from before the upgrade",
        known = tables::LAYOUT
    )]
    LayoutVersion(u64),
    /// `has_keys` is false if no key was given.
    #[error("encrypted with the key {key}, {}", match has_keys {
        true => "which is not among the given keys; add that key after the newest one",
        false => "and no key was given; give that key",
    })]
    KeyMissing { key: KeyId, records: u64, has_keys: bool },
    /// Keys were given, and this number of records isn't sealed.
    #[error(
        "was written without a key, and has records that are not encrypted ({0}); encrypt them with `reseal` first"
    )]
    UnsealedRecords(u64),
    /// Some records are sealed, and others are not, which no broker writes into one file.
    #[error(
        "has encrypted records, and others that are not: another program wrote those, and they may be forged; restore a \
         backup"
    )]
    PartlySealed,
    #[error("has an unreadable record: {0}")]
    UnreadableRecord(CodecError),
    #[error("{}", refusal(.0))]
    Io(io::Error),
    #[error("can't be opened: {0}")]
    Redb(redb::Error),
}

/// Explains an error of the operating system.
fn refusal(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("can't be written: {error}; free space on that disk")
        }
        ErrorKind::PermissionDenied => {
            format!("can't be opened for writing: {error}; this user needs permission to write there")
        }
        ErrorKind::ReadOnlyFilesystem => format!(
            "can't be opened for writing: {error}; use a file on a volume that can be written, or, if this one could be \
             before, see the system's log: an error of the disk can make it read-only"
        ),
        ErrorKind::IsADirectory => "is a folder; name a file in it".to_owned(),
        _ => format!("can't be opened: {error}"),
    }
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
