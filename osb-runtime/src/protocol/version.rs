//! The versions of the API.

use std::{fmt, str::FromStr};

/// A version of the Open Service Broker API. Its parts are compared as numbers: 2.9 is older than 2.10.
///
/// ```
/// use osb_runtime::protocol::ApiVersion;
/// let old: ApiVersion = "2.9".parse().unwrap();
/// assert!(old < ApiVersion::new(2, 10));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ApiVersion {
    major: u32,
    minor: u32,
}

impl ApiVersion {
    /// The latest version, which this crate implements completely.
    pub const LATEST: Self = Self::new(2, 17);

    /// Creates the version `major.minor`.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Returns the number before the dot.
    pub const fn major(self) -> u32 {
        self.major
    }

    /// Returns the number after the dot.
    pub const fn minor(self) -> u32 {
        self.minor
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The error for a text that is not an [`ApiVersion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a version of the form MAJOR.MINOR")]
pub struct InvalidApiVersion;

impl FromStr for ApiVersion {
    type Err = InvalidApiVersion;

    fn from_str(text: &str) -> Result<Self, InvalidApiVersion> {
        // `parse` would accept a sign, and no number above its limit.
        let add = |number: u32, byte: u8| match byte {
            b'0'..=b'9' => Some(number.saturating_mul(10).saturating_add(u32::from(byte - b'0'))),
            _ => None,
        };
        let part = |text: &str| text.bytes().try_fold(0, add).filter(|_| !text.is_empty());
        let parts = text.trim().split_once('.').and_then(|(major, minor)| Some(Self::new(part(major)?, part(minor)?)));
        parts.ok_or(InvalidApiVersion)
    }
}
