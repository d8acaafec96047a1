//! Platforms: one without a path prefix, and others behind a prefix each (AUTH-05).

use http::HeaderValue;

use super::AcceptedCredentials;
use crate::protocol::Tenant;

/// The platforms that a broker serves, with their credentials.
///
/// For a single platform its [`AcceptedCredentials`] are enough; they convert into this type. Of several platforms, each has a path
/// prefix, and registers the broker's URL with this prefix, such as `https://broker.example.com/cf-prod`. Each
/// sees only its own instances and bindings; instances of two platforms are different even if they have the same id.
///
/// ```
/// use osb_runtime::http::{AcceptedCredentials, Platforms};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let production = AcceptedCredentials::basic("cf", "a long random password")?;
/// let staging = AcceptedCredentials::basic("cf", "another long random password")?;
/// let platforms =
///     Platforms::behind("cf-prod", "/cf-prod", production)?.and_behind("cf-staging", "/staging/cf", staging)?;
/// # let _ = platforms; Ok(()) }
/// ```
///
/// Instances belong to the platform's name, so its prefix and credentials may change. A platform with a new name has no instances.
///
/// # Prefixes
///
/// A prefix is `/` and one or more segments of letters, digits, `-`, `.`, `_` and `~`, separated by `/`. No segment is
/// `.` or `..`, which clients resolve, or `v2`, with which the API's paths begin. It is compared with the path as it
/// was sent, without percent-decoding. One prefix may begin with another: the longest match wins.
///
/// # Prefixes are not disclosed
///
/// A request behind a prefix gets 401 unless it has the credentials of that platform. A request for any other path gets 401 unless it
/// has the credentials of the platform without a prefix, and always if there is no such platform. All these answers contain the
/// same challenges, those of all platforms, so an unauthenticated client can't tell a prefix from another path.
#[derive(Debug, Clone)]
#[must_use]
pub struct Platforms {
    /// The platform without a prefix. If there is none, its credentials admit no request.
    root: (Tenant, AcceptedCredentials),
    /// In descending order of the prefixes' lengths.
    prefixed: Vec<Prefixed>,
}

#[derive(Debug, Clone)]
struct Prefixed {
    tenant: Tenant,
    /// Without the leading slash.
    prefix: String,
    credentials: AcceptedCredentials,
}

/// A path, split into its platform and the rest.
pub(super) struct MatchedPlatform<'a> {
    /// All of them.
    pub(super) platforms: &'a Platforms,
    pub(super) tenant: &'a Tenant,
    pub(super) credentials: &'a AcceptedCredentials,
    /// Without the leading slash; empty if there is none.
    pub(super) prefix: &'a str,
    /// The rest of the path.
    pub(super) path: &'a str,
}

impl Platforms {
    /// Serves one platform behind a prefix. For a platform without a prefix use `Platforms::from(credentials)`.
    ///
    /// # Errors
    ///
    /// If the name or the prefix is invalid.
    pub fn behind(name: &str, prefix: &str, credentials: impl IntoCredentials) -> Result<Self, InvalidPlatform> {
        Self::from(AcceptedCredentials::none()).and_behind(name, prefix, credentials)
    }

    /// Adds another platform behind a prefix.
    ///
    /// # Errors
    ///
    /// If the name or the prefix is invalid, or if another platform has the same name, prefix, or one of the
    /// credentials, with which it could access the wrong instances.
    pub fn and_behind(
        mut self,
        name: &str,
        prefix: &str,
        credentials: impl IntoCredentials,
    ) -> Result<Self, InvalidPlatform> {
        let invalid = |why: String| InvalidPlatform(format!("platform `{name}`: {why}"));
        let tenant = name.parse().ok().filter(|tenant| *tenant != Tenant::default());
        let tenant = tenant.ok_or_else(|| invalid(crate::protocol::InvalidTenant.to_string()))?;
        let prefix = segments(prefix).map_err(|why| invalid(format!("the prefix `{prefix}` {why}")))?;
        let credentials = credentials.into();
        if credentials.overlaps(&self.root.1) {
            return Err(invalid("its credentials are also those of the platform without a prefix".to_owned()));
        }
        for other in &self.prefixed {
            let name = other.tenant.as_str();
            if other.tenant == tenant {
                return Err(invalid("another platform has the same name".to_owned()));
            }
            if other.prefix == prefix {
                return Err(invalid(format!("platform `{name}` has the same prefix `/{prefix}`")));
            }
            if credentials.overlaps(&other.credentials) {
                return Err(invalid(format!("its credentials are also those of platform `{name}`")));
            }
        }
        let at = self.prefixed.partition_point(|other| other.prefix.len() >= prefix.len());
        self.prefixed.insert(at, Prefixed { tenant, prefix: prefix.to_owned(), credentials });
        Ok(self)
    }

    /// Returns whether a platform has one of these passwords or tokens. Custom methods can't be compared.
    ///
    /// The credentials of operators must not be those of a platform, which could then change the instances of all others.
    pub fn share(&self, credentials: &AcceptedCredentials) -> bool {
        let prefixed = self.prefixed.iter().map(|platform| &platform.credentials);
        prefixed.chain([&self.root.1]).any(|own| own.overlaps(credentials))
    }

    /// Returns whether there is a platform without a prefix.
    pub fn has_root(&self) -> bool {
        self.root.1.challenges().next().is_some()
    }

    /// Returns names and prefixes, longer prefixes first.
    pub fn prefixes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.prefixed.iter().map(|platform| (platform.tenant.as_str(), platform.prefix.as_str()))
    }

    /// Returns the challenges for a 401. They are the same for each path, so that they don't disclose prefixes.
    pub(super) fn challenges(&self) -> Vec<HeaderValue> {
        let all = [&self.root.1].into_iter().chain(self.prefixed.iter().map(|platform| &platform.credentials));
        let mut challenges = Vec::new();
        for challenge in all.flat_map(AcceptedCredentials::challenges) {
            if !challenges.contains(&challenge) {
                challenges.push(challenge);
            }
        }
        challenges
    }

    /// Finds the platform of a raw path. Leading slashes are ignored, as for routes.
    pub(super) fn find<'a>(&'a self, path: &'a str) -> MatchedPlatform<'a> {
        let trimmed = path.trim_start_matches('/');
        for Prefixed { tenant, prefix, credentials } in &self.prefixed {
            if let Some(path) = trimmed.strip_prefix(prefix.as_str())
                && (path.is_empty() || path.starts_with('/'))
            {
                return MatchedPlatform { platforms: self, tenant, credentials, prefix, path };
            }
        }
        MatchedPlatform { platforms: self, tenant: &self.root.0, credentials: &self.root.1, prefix: "", path }
    }
}

impl From<AcceptedCredentials> for Platforms {
    /// Serves one platform, without a prefix.
    fn from(credentials: AcceptedCredentials) -> Self {
        Self { root: (Tenant::default(), credentials), prefixed: Vec::new() }
    }
}

osb_catalog::__private::arguments! {
    /// The credentials of a platform.
    IntoCredentials(AcceptedCredentials): "expected the credentials of a platform, found `{Self}`", "write `AcceptedCredentials::basic(user, password)?`";
    /// [`AcceptedCredentials`] of one platform, or [`Platforms`].
    IntoPlatforms(Platforms): "`{Self}` doesn't say which platforms may send requests", "expected `AcceptedCredentials` or `Platforms`", "write `AcceptedCredentials::basic(user, password)?`, or `Platforms::behind(...)?` for several platforms";
}

/// Validates a prefix and returns it without the leading slash.
fn segments(prefix: &str) -> Result<&str, &'static str> {
    let Some(segments) = prefix.strip_prefix('/') else { return Err("must begin with `/`") };
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    for segment in segments.split('/') {
        match segment {
            "" => return Err("must neither end with `/` nor contain `//`"),
            "." | ".." => return Err("must not contain the segments `.` or `..`, which clients resolve"),
            "v2" => return Err("must not contain the segment `v2`, with which the API's paths begin"),
            _ if segment.bytes().all(unreserved) => {}
            _ => return Err("may contain only letters, digits, `-`, `.`, `_`, `~` and `/`"),
        }
    }
    Ok(segments)
}

/// The error for an invalid platform. Its text contains the platform's name and prefix, but no credentials.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidPlatform(String);
