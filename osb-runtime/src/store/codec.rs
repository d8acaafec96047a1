//! Records as bytes, for stores that outlive the process.

use std::{fmt, str::FromStr};

use zeroize::Zeroizing;

use super::{
    InstanceRecord, Key,
    seal::{KeyId, Keys, SealError, key_of},
};
use crate::protocol::Tenant;

/// The version of what a record looks like, which is its first byte. What an older release has written stays readable:
/// a field that is added has a default.
const VERSION: u8 = 1;

/// Writes and reads records.
#[derive(Debug, Clone, Default)]
pub(crate) struct Codec {
    /// What seals them, if anything does.
    pub(crate) keys: Option<Keys>,
    /// Whether records that are not sealed are read although there are keys. Otherwise they are refused: whoever can write
    /// to the file could forge them.
    pub(crate) reads_unsealed: bool,
}

/// A record with nothing hidden.
pub(crate) type Plain = Zeroizing<Vec<u8>>;

impl Codec {
    pub(crate) fn write(record: &InstanceRecord) -> Result<Plain, CodecError> {
        let mut plain = Zeroizing::new(vec![VERSION]);
        serde_json::to_writer(&mut *plain, record).map_err(CodecError::Content)?;
        Ok(plain)
    }

    pub(crate) fn read(plain: &[u8]) -> Result<InstanceRecord, CodecError> {
        match plain.split_first() {
            Some((&VERSION, json)) => serde_json::from_slice(json).map_err(CodecError::Content),
            Some((&version, _)) => Err(CodecError::Version(version)),
            None => Err(CodecError::Empty),
        }
    }

    /// A record as it is stored under a key.
    pub(crate) fn seal(&self, key: &[u8], plain: &[u8]) -> Result<Vec<u8>, CodecError> {
        match &self.keys {
            Some(keys) => keys.seal(key, plain).map_err(CodecError::Seal),
            None => Ok(plain.to_vec()),
        }
    }

    /// What [`seal`](Self::seal) was given.
    pub(crate) fn open(&self, key: &[u8], stored: &[u8]) -> Result<Plain, CodecError> {
        match (key_of(stored), &self.keys) {
            (None, _) if self.opens(None) => Ok(Zeroizing::new(stored.to_vec())),
            (None, _) => Err(CodecError::Seal(SealError::Malformed)),
            (Some(_), Some(keys)) => keys.open(key, stored).map_err(CodecError::Seal),
            (Some(id), None) => Err(CodecError::Seal(SealError::UnknownKey(id))),
        }
    }

    /// Whether what is sealed in that way can be opened.
    pub(crate) fn opens(&self, sealed_with: Option<KeyId>) -> bool {
        match (sealed_with, &self.keys) {
            (None, keys) => keys.is_none() || self.reads_unsealed,
            (Some(id), keys) => keys.iter().flat_map(Keys::ids).any(|known| known == id),
        }
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
    Seal(SealError),
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the record is empty: the store is damaged"),
            Self::Version(version) => {
                write!(f, "the record has version {version}, and this release knows {VERSION}: use a newer one")
            }
            Self::Seal(error) => error.fmt(f),
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
    use crate::store::samples::{any_record, record, saved};

    fn codecs() -> [Codec; 2] {
        let keys = "5ebe2294ecd0e0f08eab7690d2a6ee69f1a3c3b5d7e9012345678901234567aa".parse().expect("a key");
        [Codec::default(), Codec { keys: Some(keys), reads_unsealed: true }]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn records_are_read_as_they_were_written(record in any_record(), key in any::<Vec<u8>>()) {
            for codec in codecs() {
                let plain = Codec::write(&record).expect("it can be written");
                let stored = codec.seal(&key, &plain).expect("it can be sealed");
                let read = Codec::read(&codec.open(&key, &stored).expect("it can be opened")).expect("it can be read");
                prop_assert!(read.parameters == record.parameters && read.state == record.state);
                prop_assert!(read.context == record.context && read.due() == record.due());
                prop_assert!(Codec::write(&read).expect("it can be written") == plain);
            }
        }

        #[test]
        fn keys_are_read_as_they_were_written(tenant in "[a-zA-Z0-9._-]{0,64}", instance in any::<String>()) {
            let key = Key { tenant: tenant.parse().expect("a name"), instance: instance.as_str().into() };
            prop_assert_eq!(Key::from_bytes(&key.to_bytes()).expect("a key"), key);
        }

        #[test]
        fn what_is_no_record_is_an_error(bytes in any::<Vec<u8>>()) {
            for codec in codecs() {
                let plain = codec.open(b"key", &bytes);
                prop_assert!(plain.and_then(|plain| Codec::read(&plain)).is_err());
            }
            _ = Key::from_bytes(&bytes);
        }
    }

    #[test]
    fn the_empty_state_is_not_the_same_as_none() {
        for state in [None, Some(Value::Null), Some(json!([null]))] {
            let state = state.map(saved);
            let mut record = record("", None);
            record.state.clone_from(&state);
            record.life.operation.checkpoint.clone_from(&state);
            let read = Codec::read(&Codec::write(&record).expect("written")).expect("read");
            assert_eq!(read.state, state);
            assert_eq!(read.life.operation.checkpoint, state);
        }
    }

    #[test]
    fn a_newer_version_is_said() {
        let error = Codec::read(&[VERSION + 1, b'{']).map(drop).expect_err("newer");
        assert_eq!(error.to_string(), "the record has version 2, and this release knows 1: use a newer one");
    }
}
