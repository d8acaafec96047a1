//! Authenticated encryption of records, so that a reader of the disk or of a backup can't read records, and a writer can't
//! forge them: XChaCha20-Poly1305, with a new random nonce for each seal.
//!
//! The stored bytes are an envelope: the format (1 byte), the key's id (8), the nonce (24), and the ciphertext with its tag
//! (16 bytes longer than the plain text). The head, which precedes the ciphertext, is authenticated with it. So is the
//! place under which it is stored, which is not in the envelope: a record that is moved to another place does not open.

mod keys;
#[cfg(test)]
mod tests;

use chacha20poly1305::{AeadInOut, Tag, XNonce};
use zeroize::Zeroizing;

pub use self::keys::{InvalidKeys, KeyId, Keys};

/// The only format so far. Its highest bit tells envelopes from unsealed records, which begin with a version, counted
/// from 1.
const FORMAT: u8 = 0x81;
const KEY_ID: usize = 8;
const NONCE: usize = 24;
const TAG: usize = 16;
/// Length of the head.
const HEAD: usize = 1 + KEY_ID + NONCE;

impl Keys {
    /// Seals bytes with the first key, bound to the place under which they will be stored.
    ///
    /// # Errors
    ///
    /// If the operating system has no random numbers, or the bytes are more than 256 GiB.
    pub fn seal(&self, place: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let key = self.newest_key();
        let mut nonce = XNonce::default();
        getrandom::fill(&mut nonce).map_err(|error| SealError::NoRandomness(error.to_string()))?;
        // The full capacity from the start: reallocation would leave plain text in freed memory.
        let mut sealed = Vec::with_capacity(HEAD + plain.len() + TAG);
        sealed.push(FORMAT);
        sealed.extend_from_slice(&key.id.0);
        sealed.extend_from_slice(&nonce);
        let known = [&sealed, place].concat();
        sealed.extend_from_slice(plain);
        let tag = key.cipher.encrypt_inout_detached(&nonce, &known, (&mut sealed[HEAD..]).into());
        let tag = tag.map_err(|_| SealError::TooLarge)?;
        sealed.extend_from_slice(&tag);
        Ok(sealed)
    }

    /// Opens bytes that were sealed for this place with any of the keys.
    ///
    /// # Errors
    ///
    /// If none of the keys sealed the bytes, if they are not sealed, or if they were changed or moved.
    pub fn open(&self, place: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let envelope = Envelope::read(sealed).ok_or(SealError::Malformed)?;
        let key = self.key(envelope.key).ok_or(SealError::UnknownKey(envelope.key))?;
        let known = [envelope.head, place].concat();
        let mut plain = Zeroizing::new(envelope.ciphertext.to_vec());
        let opened =
            key.cipher.decrypt_inout_detached(&envelope.nonce, &known, plain.as_mut_slice().into(), &envelope.tag);
        opened.map(|()| plain).map_err(|_| SealError::Tampered)
    }
}

/// Returns the id of the key that sealed the bytes, or `None` if they are not an envelope.
pub(crate) fn key_of(sealed: &[u8]) -> Option<KeyId> {
    Envelope::read(sealed).map(|envelope| envelope.key)
}

struct Envelope<'a> {
    /// The format, the key's id and the nonce.
    head: &'a [u8],
    key: KeyId,
    nonce: XNonce,
    ciphertext: &'a [u8],
    tag: Tag,
}

impl<'a> Envelope<'a> {
    fn read(sealed: &'a [u8]) -> Option<Self> {
        let (head, rest) = sealed.split_at_checked(HEAD)?;
        let (key, nonce) = head.strip_prefix(&[FORMAT])?.split_first_chunk()?;
        let (ciphertext, tag) = rest.split_last_chunk::<TAG>()?;
        Some(Self { head, key: KeyId(*key), nonce: nonce.try_into().ok()?, ciphertext, tag: (*tag).into() })
    }
}

/// The error of sealing or opening bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The key that sealed the bytes isn't among the keys.
    #[error("it is encrypted with the key {0}, which is not among the given keys: add that key after the newest one")]
    UnknownKey(KeyId),
    /// The bytes were changed or moved since they were sealed.
    #[error(
        "its seal is broken: it was changed or moved by another program, or the disk failed; restore the store from a backup"
    )]
    Tampered,
    /// The bytes are not sealed.
    #[error(
        "it is not encrypted, or in a format that this release doesn't know: the store was written without keys or by a \
         newer release, or it is damaged"
    )]
    Malformed,
    /// The operating system has no random numbers for a nonce.
    #[error("it can't be encrypted, because the operating system returned no random numbers: {0}")]
    NoRandomness(String),
    /// The bytes are more than 256 GiB, the limit for one nonce.
    #[error("it can't be encrypted, because it is larger than 256 GiB")]
    TooLarge,
}
