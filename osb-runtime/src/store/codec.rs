//! Encodes records to bytes, for stores that outlive the process.

use std::fmt;

use super::Record;
use crate::json;

/// The version of a record's layout, which is its first byte. Later releases read what earlier ones wrote: a new field has
/// a default.
const VERSION: u8 = 1;

impl Record {
    /// Appends the record to `bytes`.
    ///
    /// # Errors
    ///
    /// [`RecordError::Content`] if the record can't be written as JSON.
    pub fn write(&self, bytes: &mut Vec<u8>) -> Result<(), RecordError> {
        bytes.push(VERSION);
        serde_json::to_writer(bytes, self).map_err(RecordError::Content)
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
#[derive(Debug)]
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

impl std::error::Error for RecordError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::store::{
        Key,
        samples::{any_record, record, saved},
    };

    fn written(record: &Record) -> Vec<u8> {
        let mut bytes = Vec::new();
        record.write(&mut bytes).expect("the record can be written");
        bytes
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn records_are_read_as_they_were_written(record in any_record()) {
            let bytes = written(&record);
            let read = Record::read(&bytes).expect("it can be read");
            prop_assert!(read.parameters == record.parameters && read.state == record.state);
            prop_assert!(read.context == record.context && read.due() == record.due());
            prop_assert!(written(&read) == bytes);
        }

        #[test]
        fn floats_are_read_as_they_were_written(float in any::<f64>()) {
            let mut record = record("", None);
            record.parameters = json!({ "ratio": float, "unit": float.fract() });
            record.state = Some(saved(json!([float])));
            let read = Record::read(&written(&record)).expect("it can be read");
            prop_assert_eq!(&read.parameters, &record.parameters);
            prop_assert_eq!(&read.state, &record.state);
        }

        #[test]
        fn keys_are_read_as_they_were_written(tenant in "[a-zA-Z0-9._-]{0,64}", instance in any::<String>()) {
            let key = Key { tenant: tenant.parse().expect("a name"), instance: instance.as_str().into() };
            prop_assert_eq!(Key::from_bytes(&key.to_bytes()).expect("a key"), key);
        }

        #[test]
        fn other_bytes_are_an_error(bytes in any::<Vec<u8>>()) {
            prop_assert!(Record::read(&bytes).is_err());
            _ = Key::from_bytes(&bytes);
        }
    }

    #[test]
    fn an_empty_state_differs_from_none() {
        for state in [None, Some(Value::Null), Some(json!([null]))] {
            let state = state.map(saved);
            let mut record = record("", None);
            record.state.clone_from(&state);
            record.status.operation.checkpoint.clone_from(&state);
            let read = Record::read(&written(&record)).expect("read");
            assert_eq!(read.state, state);
            assert_eq!(read.status.operation.checkpoint, state);
        }
    }

    #[test]
    fn the_error_names_a_newer_version() {
        let error = Record::read(&[VERSION + 1, b'{']).map(drop).expect_err("newer");
        let expected = "the record has version 2, but this release knows version 1: use a newer release";
        assert_eq!(error.to_string(), expected);
    }
}
