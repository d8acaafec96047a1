//! Who is served where: one platform without a prefix, others behind path prefixes of their own (AUTH-05).

use std::fmt;

use http::HeaderValue;

use super::Credentials;
use crate::protocol::Tenant;

/// The platforms that a broker serves, and what each may authenticate with.
///
/// A single platform needs no more than its [`Credentials`], which turn into this. Several platforms, or one that is not
/// to see what another made, get a path prefix each: the URL to register a broker with is then that of the broker and the
/// prefix, `https://broker.example.com/cf-prod`. Each sees its own instances and bindings only, and the same instance
/// id of two platforms is two instances.
///
/// ```
/// use osb_runtime::http::{Credentials, Platforms};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let production = Credentials::basic("cf", "a long random password")?;
/// let staging = Credentials::basic("cf", "another long random password")?;
/// let platforms =
///     Platforms::behind("cf-prod", "/cf-prod", production)?.and_behind("cf-staging", "/staging/cf", staging)?;
/// # let _ = platforms; Ok(()) }
/// ```
///
/// What a platform made belongs to the platform's name, so prefix and credentials may change. Another name is another
/// platform, which has nothing yet.
///
/// # Prefixes
///
/// A prefix is `/` and one or more segments of letters, digits, `-`, `.`, `_` and `~`, separated by `/`. No segment is `.`
/// or `..`, which clients resolve, or `v2`, with which the API begins. It is compared with the path as it was sent, before
/// anything in it is decoded; a prefix of another one is fine: the longest that fits counts.
///
/// # What a stranger learns
///
/// A prefix that exists is answered 401 without the credentials that belong to it, those of other platforms included. So
/// is every other path without the credentials of the platform without a prefix; if there is none, every other path is 401
/// whatever is sent. Each of these answers names the ways to authenticate of all platforms. Prefixes can't be told apart
/// from other paths that way.
#[derive(Debug, Clone)]
pub struct Platforms {
    /// Of the platform without a prefix; nobody's if there is none.
    root: (Tenant, Credentials),
    /// Longer prefixes come first.
    prefixed: Vec<Prefixed>,
}

#[derive(Debug, Clone)]
struct Prefixed {
    tenant: Tenant,
    /// Without the slash it starts with.
    prefix: String,
    credentials: Credentials,
}

/// Where a path leads.
pub(super) struct Place<'a> {
    pub(super) tenant: &'a Tenant,
    pub(super) credentials: &'a Credentials,
    /// Without the slash it starts with; empty if there is none.
    pub(super) prefix: &'a str,
    /// The path without the prefix.
    pub(super) path: &'a str,
}

impl Platforms {
    /// One platform behind a prefix, and none without. `Platforms::from(credentials)` is one without.
    ///
    /// # Errors
    ///
    /// If the name or the prefix is not one that a platform can have.
    pub fn behind(name: &str, prefix: &str, credentials: Credentials) -> Result<Self, InvalidPlatform> {
        Self::from(Credentials::nobodys()).and_behind(name, prefix, credentials)
    }

    /// Another platform behind a prefix.
    ///
    /// # Errors
    ///
    /// If the name or the prefix is not one that a platform can have, or if another platform has the name, the prefix, or
    /// one of the credentials: it could ask for what is not its own.
    pub fn and_behind(mut self, name: &str, prefix: &str, credentials: Credentials) -> Result<Self, InvalidPlatform> {
        let invalid = |why: String| Err(InvalidPlatform(format!("platform `{name}`: {why}")));
        let tenant: Tenant = match name.parse() {
            Ok(tenant) if tenant != Tenant::default() => tenant,
            Ok(_) | Err(_) => return invalid(crate::protocol::InvalidTenant.to_string()),
        };
        let prefix = match segments(prefix) {
            Ok(segments) => segments,
            Err(why) => return invalid(format!("the prefix `{prefix}` {why}")),
        };
        if credentials.shares_some_with(&self.root.1) {
            return invalid("it has credentials of the platform without a prefix".to_owned());
        }
        for other in &self.prefixed {
            let name = other.tenant.as_str();
            if other.tenant == tenant {
                return invalid("the name is used twice".to_owned());
            }
            if other.prefix == prefix {
                return invalid(format!("the prefix `/{prefix}` is that of platform `{name}`"));
            }
            if credentials.shares_some_with(&other.credentials) {
                return invalid(format!("it has credentials of platform `{name}`"));
            }
        }
        let at = self.prefixed.partition_point(|other| other.prefix.len() >= prefix.len());
        self.prefixed.insert(at, Prefixed { tenant, prefix: prefix.to_owned(), credentials });
        Ok(self)
    }

    /// Whether there is a platform without a prefix.
    pub fn has_root(&self) -> bool {
        self.root.1.challenges().next().is_some()
    }

    /// Lists names and prefixes, longer prefixes first.
    pub fn prefixes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.prefixed.iter().map(|platform| (platform.tenant.as_str(), platform.prefix.as_str()))
    }

    /// What a stranger may try: the same wherever it asks, so that it does not tell prefixes from other paths.
    pub(super) fn challenges(&self) -> Vec<HeaderValue> {
        let all = [&self.root.1].into_iter().chain(self.prefixed.iter().map(|platform| &platform.credentials));
        let mut challenges = Vec::new();
        for challenge in all.flat_map(Credentials::challenges) {
            if !challenges.contains(&challenge) {
                challenges.push(challenge);
            }
        }
        challenges
    }

    /// The platform of a raw path. Slashes in front are ignored, as they are in front of a route.
    pub(super) fn find<'a>(&'a self, path: &'a str) -> Place<'a> {
        let trimmed = path.trim_start_matches('/');
        for Prefixed { tenant, prefix, credentials } in &self.prefixed {
            if let Some(path) = trimmed.strip_prefix(prefix.as_str())
                && (path.is_empty() || path.starts_with('/'))
            {
                return Place { tenant, credentials, prefix, path };
            }
        }
        Place { tenant: &self.root.0, credentials: &self.root.1, prefix: "", path }
    }
}

impl From<Credentials> for Platforms {
    /// One platform, without a prefix.
    fn from(credentials: Credentials) -> Self {
        Self { root: (Tenant::default(), credentials), prefixed: Vec::new() }
    }
}

/// A prefix without the slash in front, or why it is none.
fn segments(prefix: &str) -> Result<&str, &'static str> {
    let Some(segments) = prefix.strip_prefix('/') else { return Err("has to start with `/`") };
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    for segment in segments.split('/') {
        match segment {
            "" => return Err("must neither end with `/` nor contain `//`"),
            "." | ".." => return Err("must not contain `.` or `..`, which clients resolve"),
            "v2" => return Err("must not contain `v2`, with which the API begins"),
            _ if segment.bytes().all(unreserved) => {}
            _ => return Err("may contain only letters, digits, `-`, `.`, `_`, `~` and `/`"),
        }
    }
    Ok(segments)
}

/// Why a platform can't be served as told. It names the platform and its prefix, and no credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidPlatform(String);

impl fmt::Display for InvalidPlatform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPlatform {}
