//! Settings for compatibility with older platforms and conformance checkers.

use super::ApiVersion;

/// Decisions where specification versions, platforms or conformance checkers differ. The defaults follow the current
/// specification and also accept the requests of older platforms:
///
/// ```
/// use osb_runtime::{http::HttpSettings, protocol::Guids};
/// let mut settings = HttpSettings::default();
/// settings.policies.guids = Guids::Optional;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policies {
    /// Requires `organization_guid` and `space_guid` in a provision, or not (PROV-05). Default: required.
    pub guids: Guids,
    /// The response to a malformed DELETE of an unknown instance (X02). Default: 400.
    pub malformed_deprovision: MalformedDelete,
    /// The response to a malformed DELETE of an unknown binding (X02). Default: 400.
    pub malformed_unbind: MalformedDelete,
    /// `true` to accept `accepts_incomplete` as a field of the body from platforms of versions 2.7 to 2.11, which list
    /// it there (S11). Other versions have it only in the query. Default: `true`.
    pub accepts_incomplete_in_body: bool,
    /// The oldest version with asynchronous bindings, which its platforms have to poll and fetch; `accepts_incomplete` in bind
    /// and unbind requests of older platforms is ignored (G3). Default: 2.14.
    pub asynchronous_bindings_since: ApiVersion,
    /// The response to a malformed originating identity (T41). Default: ignore it.
    pub malformed_identity: MalformedIdentity,
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            guids: Guids::default(),
            malformed_deprovision: MalformedDelete::default(),
            malformed_unbind: MalformedDelete::default(),
            accepts_incomplete_in_body: true,
            asynchronous_bindings_since: ApiVersion::new(2, 14),
            malformed_identity: MalformedIdentity::default(),
        }
    }
}

/// Handling of `organization_guid` and `space_guid` in a provision (PROV-05).
///
/// In either case a platform older than 2.12 may send a `context` instead (S12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Guids {
    /// They are required by the specification and conformance checkers: 400 if one is missing or empty.
    #[default]
    Required,
    /// They are optional, for platforms without organizations and spaces. An empty GUID counts as missing; a missing
    /// one is taken from `context` if it is there.
    Optional,
}

/// The response to a malformed DELETE of a resource that does not exist (X02). If it exists, the response is always 400.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MalformedDelete {
    /// 400, because the request is malformed.
    #[default]
    BadRequest,
    /// 410, because there is nothing to delete.
    Gone,
}

/// The response to an `X-Broker-API-Originating-Identity` that isn't a platform and a JSON object in Base64, or names `admin`
/// (T41).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MalformedIdentity {
    /// Ignore the header, which is optional, and log a warning.
    #[default]
    Ignore,
    /// Answer 400, for brokers that need the identity, for example for an audit log.
    Refuse,
}
