//! Records as bytes, for stores that outlive the process.

use std::{fmt, str::FromStr};

use super::{InstanceRecord, Key};
use crate::protocol::Tenant;

/// The version of what a record looks like, which is its first byte. What an older release has written stays readable:
/// a field that is added has a default.
const VERSION: u8 = 1;

/// Writes and reads records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Codec;

impl Codec {
    /// The record as it is compared: nothing has changed if this has not.
    pub(crate) fn plain(record: &InstanceRecord) -> Result<Vec<u8>, CodecError> {
        serde_json::to_vec(record).map_err(CodecError::Content)
    }

    /// The record as it is stored.
    pub(crate) fn seal(&self, plain: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(plain.len() + 1);
        bytes.push(VERSION);
        bytes.extend_from_slice(plain);
        bytes
    }

    /// What [`seal`](Self::seal) was given.
    pub(crate) fn open(&self, stored: &[u8]) -> Result<Vec<u8>, CodecError> {
        match stored.split_first() {
            Some((&VERSION, plain)) => Ok(plain.to_vec()),
            Some((&version, _)) => Err(CodecError::Version(version)),
            None => Err(CodecError::Empty),
        }
    }

    pub(crate) fn record(plain: &[u8]) -> Result<InstanceRecord, CodecError> {
        serde_json::from_slice(plain).map_err(CodecError::Content)
    }
}

impl Key {
    /// The tenant's name, a zero byte, which is in no name, and the instance's id.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (tenant, instance) = (self.tenant.as_str(), self.instance.as_str());
        [tenant.as_bytes(), &[0], instance.as_bytes()].concat()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let text = std::str::from_utf8(bytes).map_err(|_| CodecError::Key)?;
        let (tenant, instance) = text.split_once('\0').ok_or(CodecError::Key)?;
        let tenant = Tenant::from_str(tenant).map_err(|_| CodecError::Key)?;
        Ok(Self { tenant, instance: instance.into() })
    }
}

/// What is stored is no record.
#[derive(Debug)]
pub(crate) enum CodecError {
    Empty,
    Version(u8),
    Key,
    Content(serde_json::Error),
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the record is empty: the store is damaged"),
            Self::Version(version) => {
                write!(f, "the record has version {version}, and this release knows {VERSION}: use a newer one")
            }
            Self::Key => f.write_str("the record's key is none: the store is damaged"),
            // What serde_json says of the position is enough; of the content it may quote too much.
            Self::Content(error) => write!(
                f,
                "the record can't be read, at column {}: the store is damaged, or a newer release has written it",
                error.column()
            ),
        }
    }
}

impl std::error::Error for CodecError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::store::samples::{any_record, record};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn records_are_read_as_they_were_written(record in any_record()) {
            let codec = Codec;
            let plain = Codec::plain(&record).expect("it can be written");
            let opened = codec.open(&codec.seal(&plain)).expect("it can be opened");
            let read = Codec::record(&opened).expect("it can be read");
            prop_assert!(read.parameters == record.parameters && read.state == record.state);
            prop_assert!(read.context == record.context && read.due() == record.due());
            prop_assert_eq!(Codec::plain(&read).expect("it can be written"), plain);
        }

        #[test]
        fn keys_are_read_as_they_were_written(tenant in "[a-zA-Z0-9._-]{0,64}", instance in any::<String>()) {
            let key = Key { tenant: tenant.parse().expect("a name"), instance: instance.as_str().into() };
            prop_assert_eq!(Key::from_bytes(&key.to_bytes()).expect("a key"), key);
        }

        #[test]
        fn what_is_no_record_is_an_error(bytes in any::<Vec<u8>>()) {
            let plain = Codec.open(&bytes);
            prop_assert!(plain.and_then(|plain| Codec::record(&plain)).is_err());
            _ = Key::from_bytes(&bytes);
        }
    }

    #[test]
    fn the_empty_state_is_not_the_same_as_none() {
        for state in [None, Some(Value::Null), Some(json!([null]))] {
            let mut record = record("", None);
            record.state.clone_from(&state);
            record.life.operation.checkpoint.clone_from(&state);
            let read = Codec::record(&Codec::plain(&record).expect("written")).expect("read");
            assert_eq!(read.state, state);
            assert_eq!(read.life.operation.checkpoint, state);
        }
    }

    #[test]
    fn a_newer_version_is_said() {
        let error = Codec.open(&[VERSION + 1, b'{']).expect_err("newer");
        assert_eq!(error.to_string(), "the record has version 2, and this release knows 1: use a newer one");
    }
}
