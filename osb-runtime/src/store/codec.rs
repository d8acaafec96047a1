//! Encodes records to bytes, for stores that outlive the process.

use std::io;

use super::{Record, Timestamp, Tombstone};
use crate::{json, protocol::debug_text};

/// The version of a record's layout, which is its first byte. Later releases read records of earlier ones: a new field has
/// a default. Version 1 is read by [`read_version_1`](super::read_version_1).
const VERSION: u8 = 2;

/// The first byte of a compact tombstone, that of a deletion that has succeeded. There can be many. Then: [`MARK`], flags (a byte),
/// the time at which it expires (8 bytes), and the operation's id (16 bytes).
const TOMBSTONE: u8 = 3;

/// The latest version that this release reads.
const LATEST_VERSION: u8 = TOMBSTONE;

/// Follows [`TOMBSTONE`], so that other bytes aren't read as a tombstone.
const MARK: &[u8; 3] = b"del";
const ACCEPTED: u8 = 1;

impl Record {
    /// Writes the record, for example to a `&mut Vec<u8>`.
    ///
    /// # Errors
    ///
    /// [`RecordError::Content`] if the record can't be written as JSON, or to `to`.
    pub fn write(&self, mut to: impl io::Write) -> Result<(), RecordError> {
        let mut write =
            |bytes: &[u8]| to.write_all(bytes).map_err(|error| RecordError::Content(serde_json::Error::io(error)));
        if let Some(tombstone) = self.tombstone().and_then(compact) {
            return write(&tombstone);
        }
        write(&[VERSION])?;
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
            Some((&TOMBSTONE, content)) => expand(content).map(Self::from),
            Some((&version, _)) => Err(RecordError::Version(version)),
            None => Err(RecordError::Empty),
        }
    }
}

fn compact(tombstone: &Tombstone) -> Option<Vec<u8>> {
    let Tombstone { operation, is_delete: true, accepted, failure: None, cancelled: None, forget_at } = tombstone
    else {
        return None;
    };
    let id = u128::from_str_radix(operation, 16).ok().filter(|id| format!("{id:032x}") == **operation)?;
    let flags = if *accepted { ACCEPTED } else { 0 };
    Some([&[TOMBSTONE], &MARK[..], &[flags], &forget_at.0.to_be_bytes(), &id.to_be_bytes()].concat())
}

fn expand(content: &[u8]) -> Result<Tombstone, RecordError> {
    let wrong = || RecordError::Content(serde::de::Error::invalid_length(content.len(), &"a tombstone"));
    let rest = content.strip_prefix(MARK).ok_or_else(wrong)?;
    // A flag of a newer release must not be lost.
    let (flags, content) =
        rest.split_first_chunk::<1>().filter(|([flags], _)| flags & !ACCEPTED == 0).ok_or_else(wrong)?;
    let (time, id) = content.split_first_chunk::<8>().ok_or_else(wrong)?;
    let id: [u8; 16] = id.try_into().map_err(|_| wrong())?;
    Ok(Tombstone {
        operation: format!("{:032x}", u128::from_be_bytes(id)).into(),
        is_delete: true,
        accepted: flags[0] & ACCEPTED != 0,
        failure: None,
        cancelled: None,
        forget_at: Timestamp(u64::from_be_bytes(*time)),
    })
}

/// The reason why bytes can't be read as a record or a key.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// There are no bytes.
    #[error("the record is empty: the store is damaged")]
    Empty,
    /// The record has a layout of this version, which a newer release introduced.
    #[error(
        "the record has version {0}, but this release knows versions up to {latest}: use a newer release",
        latest = LATEST_VERSION
    )]
    Version(u8),
    /// The key isn't one that [`Key::to_bytes`](super::Key::to_bytes) wrote.
    #[error("the record's key is malformed: the store is damaged")]
    Key,
    /// The content isn't that of a record.
    // Only the position, because serde_json's message may quote the content, which is secret.
    #[error("the record can't be read, at column {}: the store is damaged, or a newer release has written it", .0.column())]
    Content(serde_json::Error),
}

// The same text, since serde_json's own quotes the content too.
debug_text!(RecordError, this => "RecordError({this})");

#[cfg(test)]
#[path = "../../tests/unit/codec.rs"]
mod tests;
