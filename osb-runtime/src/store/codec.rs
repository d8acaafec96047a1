//! Encodes records to bytes, for stores that outlive the process.

use std::{fmt, io};

use super::Record;
use crate::json;

/// The version of a record's layout, which is its first byte. Later releases read what earlier ones wrote: a new field has
/// a default. Version 1 is read by [`read_first_edition`](super::read_first_edition).
const VERSION: u8 = 2;

impl Record {
    /// Writes the record, for example to a `&mut Vec<u8>`.
    ///
    /// # Errors
    ///
    /// [`RecordError::Content`] if the record can't be written as JSON, or to `to`.
    pub fn write(&self, mut to: impl io::Write) -> Result<(), RecordError> {
        to.write_all(&[VERSION]).map_err(|error| RecordError::Content(serde_json::Error::io(error)))?;
        serde_json::to_writer(to, self).map_err(RecordError::Content)
    }

    /// Reads the bytes that [`write`](Self::write) wrote, in this release or an earlier one.
    ///
    /// # Errors
    ///
    /// If the bytes are damaged, or a newer release wrote them.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        match bytes.split_first() {
            Some((&VERSION, content)) => json::from_slice(content).map_err(RecordError::Content),
            Some((&version, _)) => Err(RecordError::Version(version)),
            None => Err(RecordError::Empty),
        }
    }
}

/// The reason why bytes can't be read as a record or a key.
#[non_exhaustive]
pub enum RecordError {
    /// There are no bytes.
    Empty,
    /// The record has a layout of this version, which a newer release introduced.
    Version(u8),
    /// The key isn't one that [`Key::to_bytes`](super::Key::to_bytes) wrote.
    Key,
    /// The content isn't that of a record.
    Content(serde_json::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the record is empty: the store is damaged"),
            Self::Version(version) => {
                write!(
                    f,
                    "the record has version {version}, but this release knows version {VERSION}: use a newer release"
                )
            }
            Self::Key => f.write_str("the record's key is malformed: the store is damaged"),
            // Only the position, because serde_json's message may quote the content, which is secret.
            Self::Content(error) => write!(
                f,
                "the record can't be read, at column {}: the store is damaged, or a newer release has written it",
                error.column()
            ),
        }
    }
}

/// The same text, since serde_json's own quotes the content too.
impl fmt::Debug for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordError({self})")
    }
}

impl std::error::Error for RecordError {}

#[cfg(test)]
#[path = "../../tests/unit/codec.rs"]
mod tests;
