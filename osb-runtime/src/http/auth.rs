//! Who may ask: HTTP Basic, which every platform uses unless something else was agreed upon (AUTH-02).

use std::fmt;

use http::{HeaderMap, header::AUTHORIZATION};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use crate::protocol::headers::decode_base64;

/// The users and passwords a platform may authenticate with: several, so that they can be rotated (AUTH-05).
///
/// Only digests are kept, and a comparison takes as long whichever pair matches.
///
/// ```
/// use osb_runtime::http::Credentials;
/// # fn main() -> Result<(), osb_runtime::http::InvalidCredentials> {
/// let credentials = Credentials::basic("platform", "the new secret")?.or_basic("platform", "the old secret")?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Credentials {
    /// SHA-256 of `user:password`; unambiguous, as a user has no colon.
    digests: Vec<[u8; 32]>,
}

impl Credentials {
    /// One user and password.
    pub fn basic(user: &str, password: &str) -> Result<Self, InvalidCredentials> {
        Self { digests: Vec::new() }.or_basic(user, password)
    }

    /// Another user and password that are as good.
    pub fn or_basic(mut self, user: &str, password: &str) -> Result<Self, InvalidCredentials> {
        if user.is_empty() || password.is_empty() {
            return Err(InvalidCredentials("user and password must not be empty"));
        }
        if user.contains(':') {
            return Err(InvalidCredentials("a user must not contain a colon: it separates user and password"));
        }
        if user.chars().chain(password.chars()).any(char::is_control) {
            return Err(InvalidCredentials("user and password must not contain control characters (a line's end?)"));
        }
        self.digests.push(Sha256::digest(format!("{user}:{password}")).into());
        Ok(self)
    }

    /// Whether a request has one of the pairs.
    pub(super) fn admit(&self, headers: &HeaderMap) -> bool {
        let Some(sent) = headers.get(AUTHORIZATION).and_then(|value| basic(value.as_bytes())) else {
            return false;
        };
        let sent: [u8; 32] = Sha256::digest(sent).into();
        let found = self.digests.iter().fold(Choice::from(0), |found, digest| found | digest.ct_eq(&sent));
        found.into()
    }
}

/// The `user:password` of an `Authorization` header.
fn basic(value: &[u8]) -> Option<Vec<u8>> {
    let (scheme, encoded) = value.split_at_checked("Basic ".len())?;
    scheme.eq_ignore_ascii_case(b"Basic ").then(|| decode_base64(encoded.trim_ascii()))?
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({} pairs)", self.digests.len())
    }
}

/// A user or password that HTTP Basic can't carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCredentials(&'static str);

impl fmt::Display for InvalidCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for InvalidCredentials {}
