//! Encodes records to bytes, and seals them.

use std::io;

use osb_runtime::store::{Record, RecordError};
use zeroize::Zeroizing;

use crate::seal::{KeyId, Keys, SealError, key_of};

/// The encoding of records: plain, or sealed with keys.
#[derive(Debug, Clone, Default)]
pub(crate) struct Codec {
    pub(crate) keys: Option<Keys>,
    /// Reads unsealed records although there are keys. Otherwise they are refused, because every process that can write to
    /// the file could forge them.
    pub(crate) reads_unsealed: bool,
}

/// The plain text of a record.
pub(crate) type Plain = Zeroizing<Vec<u8>>;

impl Codec {
    pub(crate) fn write(record: &Record) -> Result<Plain, CodecError> {
        let mut growing = Growing::default();
        record.write(&mut growing)?;
        Ok(growing.0)
    }

    pub(crate) fn read(plain: &[u8]) -> Result<Record, CodecError> {
        Ok(Record::read(plain)?)
    }

    /// Seals a record for storage under a key; without keys it stays plain text.
    pub(crate) fn seal(&self, key: &[u8], plain: &[u8]) -> Result<Vec<u8>, CodecError> {
        match &self.keys {
            Some(keys) => keys.seal(key, plain).map_err(CodecError::Seal),
            None => Ok(plain.to_vec()),
        }
    }

    /// Returns the plain text that [`seal`](Self::seal) was given.
    pub(crate) fn open(&self, key: &[u8], stored: &[u8]) -> Result<Plain, CodecError> {
        match (key_of(stored), &self.keys) {
            (None, _) if self.opens(None) => Ok(Zeroizing::new(stored.to_vec())),
            (None, _) => Err(CodecError::Seal(SealError::Malformed)),
            (Some(_), Some(keys)) => keys.open(key, stored).map_err(CodecError::Seal),
            (Some(id), None) => Err(CodecError::Seal(SealError::UnknownKey(id))),
        }
    }

    /// Returns true if [`seal`](Self::seal) would use the same key, or none, today.
    pub(crate) fn seals_as(&self, stored: &[u8]) -> bool {
        key_of(stored) == self.keys.as_ref().map(Keys::newest)
    }

    /// Returns true if records sealed with this key can be opened; `None` stands for unsealed records.
    pub(crate) fn opens(&self, sealed_with: Option<KeyId>) -> bool {
        match (sealed_with, &self.keys) {
            (None, keys) => keys.is_none() || self.reads_unsealed,
            (Some(id), keys) => keys.iter().flat_map(Keys::ids).any(|known| known == id),
        }
    }
}

/// A buffer that wipes its old memory when it grows.
#[derive(Default)]
struct Growing(Plain);

impl Growing {
    #[cold]
    fn grow(&mut self, needed: usize) {
        let mut larger = Zeroizing::new(Vec::with_capacity((2 * self.0.capacity()).max(needed).max(2048)));
        larger.extend_from_slice(&self.0);
        self.0 = larger;
    }
}

impl io::Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    // A record is written in hundreds of parts, most of them a few bytes long.
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let needed = self.0.len() + bytes.len();
        if needed > self.0.capacity() {
            self.grow(needed);
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error of reading or writing a stored record.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CodecError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Seal(SealError),
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use osb_testing::store::record;
    use proptest::prelude::*;

    use super::*;

    fn codecs() -> [Codec; 2] {
        let keys = "5ebe2294ecd0e0f08eab7690d2a6ee69f1a3c3b5d7e9012345678901234567aa".parse().expect("a key");
        [Codec::default(), Codec { keys: Some(keys), reads_unsealed: true }]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn records_are_read_as_they_were_written(text in ".*", due in any::<Option<u64>>(), key in any::<Vec<u8>>()) {
            let record = record(&text, due);
            for codec in codecs() {
                let plain = Codec::write(&record).expect("it can be written");
                let stored = codec.seal(&key, &plain).expect("it can be sealed");
                let read = Codec::read(&codec.open(&key, &stored).expect("it can be opened")).expect("it can be read");
                prop_assert!(Codec::write(&read).expect("it can be written") == plain);
            }
        }

        #[test]
        fn other_bytes_are_an_error(bytes in any::<Vec<u8>>()) {
            for codec in codecs() {
                let plain = codec.open(b"key", &bytes);
                prop_assert!(plain.and_then(|plain| Codec::read(&plain)).is_err());
            }
        }
    }

    #[test]
    fn a_store_without_keys_names_the_key_of_a_sealed_record() {
        let [open, sealing] = codecs();
        let stored = sealing.seal(b"key", b"plain").expect("it can be sealed");
        let error = open.open(b"key", &stored).map(drop).expect_err("there is no key").to_string();
        let key = sealing.keys.expect("a key").newest();
        assert!(error.starts_with(&format!("it is encrypted with the key {key}")), "{error}");
    }

    #[test]
    fn a_buffer_that_grows_moves_its_content_to_new_memory() {
        let (mut growing, mut expected) = (Growing::default(), Vec::new());
        let mut moves = 0;
        for number in 0..20_000_u32 {
            let (capacity, place) = (growing.0.capacity(), growing.0.as_ptr());
            growing.write_all(&number.to_le_bytes()).expect("memory");
            expected.extend(number.to_le_bytes());
            if growing.0.capacity() != capacity {
                // `Vec` would grow in place or copy, and leave the old memory as it was.
                assert!(growing.0.as_ptr() != place && growing.0.capacity() >= 2 * capacity);
                moves += 1;
            }
        }
        assert_eq!((&*growing.0, moves), (&expected, 7));
        assert_eq!(growing.write(b"one more").expect("memory"), 8);
        assert!(growing.0.ends_with(b"one more"));
    }
}
