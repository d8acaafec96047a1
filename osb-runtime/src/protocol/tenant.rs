//! Tenants, which own instances where one broker serves several platforms.

use std::{str::FromStr, sync::Arc};

/// The name of a platform behind a path prefix (AUTH-05). Each tenant has its own instances and bindings, even if their
/// ids are the same as those of another tenant.
///
/// The default tenant has an empty name; it is the platform without a prefix. All others have a name of 1 to 64 ASCII letters,
/// digits, `-`, `_` and `.`, which has to stay the same when the prefix or the credentials change. Cloning is cheap.
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

/// Maximum length of a name in bytes.
const MAX_NAME: usize = 64;

impl Tenant {
    /// Returns the name, which is empty for the platform without a prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name; `None` for the platform without a prefix.
    pub(crate) fn non_empty(&self) -> Option<&str> {
        Some(self.as_str()).filter(|name| !name.is_empty())
    }
}

impl FromStr for Tenant {
    type Err = InvalidTenant;

    fn from_str(name: &str) -> Result<Self, InvalidTenant> {
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.len() <= MAX_NAME && name.bytes().all(valid) { Ok(Self(name.into())) } else { Err(InvalidTenant) }
    }
}

super::debug_text!(Tenant, Self(name) => "{name:?}");

/// The error for an invalid name of a [`Tenant`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a platform's name must consist of 1 to 64 letters, digits, `-`, `_` and `.`")]
pub struct InvalidTenant;
