//! Whose an instance is, where one broker serves several platforms.

use std::{fmt, str::FromStr, sync::Arc};

/// The platform behind a path prefix, by the name that the operator gave it (AUTH-05). Instances and bindings are its own:
/// the same instance id of another tenant is another instance.
///
/// The default is the one without a name: the platform that is served without a prefix. All others have a name of 1 to 64
/// ASCII letters, digits, `-`, `_` and `.`, which stays the same when the prefix or the credentials change. Cloning is
/// cheap.
///
/// ```
/// use osb_runtime::protocol::Tenant;
/// let tenant: Tenant = "cf-prod".parse().unwrap();
/// assert_eq!(tenant.as_str(), "cf-prod");
/// assert_eq!("".parse(), Ok(Tenant::default()));
/// assert!("cf prod".parse::<Tenant>().is_err());
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tenant(Arc<str>);

/// The longest name, in bytes.
const LONGEST_NAME: usize = 64;

impl Tenant {
    /// Its name; empty for the platform without a prefix.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Tenant {
    type Err = InvalidTenant;

    fn from_str(name: &str) -> Result<Self, InvalidTenant> {
        let fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.len() <= LONGEST_NAME && name.bytes().all(fit) { Ok(Self(name.into())) } else { Err(InvalidTenant) }
    }
}

impl fmt::Debug for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A text that is no name of a [`Tenant`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTenant;

impl fmt::Display for InvalidTenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a platform's name has 1 to 64 letters, digits, `-`, `_` and `.`")
    }
}

impl std::error::Error for InvalidTenant {}
