//! The keys, and their text format.

use std::{fmt, iter, str::FromStr, sync::Arc};

use base64::{Engine, alphabet, engine::GeneralPurpose, engine::general_purpose::PAD_INDIFFERENT};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The keys that records are sealed with: the first one seals, and all of them open.
///
/// Their text format is one key after the other, separated by white space, such as one key a line. A key is 32 random
/// bytes, as 64 hexadecimal digits or in base64 (of either alphabet, padded or not): `openssl rand -hex 32` generates one,
/// and so does `openssl rand -base64 32`. Clones share the keys, which are wiped from memory when the last clone is
/// dropped.
///
/// Keys that are stored next to the records file protect nothing. If the keys are lost, the records are lost, and so are
/// the backups that were made while the keys were in use.
///
/// To replace a key:
///
/// 1. put a new key before it, and restart the broker, which from then on seals with the new key;
/// 2. [`reseal`](crate::reseal) the records that the old key sealed;
/// 3. remove the old key from the configuration, but keep it for as long as a backup is sealed with it.
///
/// ```
/// use osb_store::Keys;
///
/// # fn main() -> Result<(), osb_store::InvalidKeys> {
/// let old = "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea";
/// let new = "FhCtTyHl/wELA1KQ4cSaoy3W9Y17x2LbYdVqkBzEJgM=";
///
/// let keys: Keys = old.parse()?;
/// let while_replacing: Keys = format!("{new}\n{old}\n").parse()?;
/// let afterwards: Keys = new.parse()?;
/// # let _ = (keys, while_replacing, afterwards); Ok(()) }
/// ```
#[derive(Clone)]
pub struct Keys(Arc<Ring>);

struct Ring {
    newest: Key,
    older: Vec<Key>,
}

/// A key and its id.
pub(super) struct Key {
    pub(super) id: KeyId,
    /// Wiped when dropped. In a box, because a move would leave a copy in memory.
    pub(super) cipher: Box<XChaCha20Poly1305>,
}

impl Keys {
    /// Returns the id of the first key, which seals.
    pub fn newest(&self) -> KeyId {
        self.0.newest.id
    }

    /// Returns the ids of all keys, the newest first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = KeyId> {
        self.all().map(|key| key.id)
    }

    pub(super) fn newest_key(&self) -> &Key {
        &self.0.newest
    }

    pub(super) fn key(&self, id: KeyId) -> Option<&Key> {
        self.all().find(|key| key.id == id)
    }

    fn all(&self) -> impl Iterator<Item = &Key> {
        iter::once(&self.0.newest).chain(&self.0.older)
    }
}

impl FromStr for Keys {
    type Err = InvalidKeys;

    fn from_str(text: &str) -> Result<Self, InvalidKeys> {
        let mut keys: Vec<Key> = Vec::new();
        for (position, word) in (1..).zip(text.split_whitespace()) {
            let bytes = decode(word).ok_or(KeyMistake::Malformed { position, characters: word.chars().count() })?;
            if bytes.iter().all(|byte| *byte == bytes[0]) {
                return Err(KeyMistake::Guessable { position }.into());
            }
            let key = Key::new(&bytes);
            if let Some((first, _)) = (1..).zip(&keys).find(|(_, known)| known.id == key.id) {
                return Err(KeyMistake::Duplicate { position, first }.into());
            }
            keys.push(key);
        }
        let mut keys = keys.into_iter();
        let newest = keys.next().ok_or(KeyMistake::Missing)?;
        Ok(Self(Arc::new(Ring { newest, older: keys.collect() })))
    }
}

/// Lists the ids of the keys.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

impl Key {
    fn new(bytes: &[u8; 32]) -> Self {
        Self { id: KeyId::of(bytes), cipher: Box::new(XChaCha20Poly1305::new(bytes.into())) }
    }
}

/// Decodes a key, directly into memory that is wiped when dropped.
fn decode(word: &str) -> Option<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0; 32]);
    let (pairs, rest) = word.as_bytes().as_chunks::<2>();
    if pairs.len() == bytes.len() && rest.is_empty() {
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            for digit in pair {
                let digit = char::from(*digit).to_digit(16)?;
                *byte = *byte << 4 | u8::try_from(digit).ok()?;
            }
        }
        return Some(bytes);
    }
    let alphabets = [alphabet::STANDARD, alphabet::URL_SAFE];
    let decoded = alphabets.iter().any(|alphabet| {
        GeneralPurpose::new(alphabet, PAD_INDIFFERENT).decode_slice(word, bytes.as_mut_slice()) == Ok(bytes.len())
    });
    decoded.then_some(bytes)
}

/// The public id of a key, for envelopes, logs and messages: the first 8 bytes of a hash of the key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub(super) [u8; 8]);

impl KeyId {
    pub(super) fn of(key: &[u8; 32]) -> Self {
        let digest: [u8; 32] =
            Sha256::new().chain_update("osb-runtime: id of a key, 1").chain_update(key).finalize().into();
        let mut id = [0; 8];
        id.copy_from_slice(&digest[..8]);
        Self(id)
    }

    pub(crate) fn to_bytes(self) -> [u8; 8] {
        self.0
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error of parsing [`Keys`]. Its message names the position of the key and the reason, and shows nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct InvalidKeys(#[from] KeyMistake);

/// The reason why a text is not a list of keys. Positions count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum KeyMistake {
    #[error("there is no key: `openssl rand -hex 32` generates one")]
    Missing,
    #[error(
        "key {position} has {characters} characters, and is neither 64 hexadecimal digits nor 32 bytes in base64, which \
         are 43 characters, or 44 with padding: `openssl rand -hex 32` generates a key"
    )]
    Malformed { position: usize, characters: usize },
    #[error(
        "key {position} is the same byte 32 times, which is easy to guess: `openssl rand -hex 32` generates a random key"
    )]
    Guessable { position: usize },
    #[error("key {position} is the same as key {first}: remove one of the two")]
    Duplicate { position: usize, first: usize },
}
