//! Where versions, platforms and conformance checkers differ, and an operator may choose.

use super::ApiVersion;

/// How requests are read where there is more than one good way. The defaults are what the specification asks for today,
/// with what older platforms need. Change what differs:
///
/// ```
/// use osb_runtime::{http::HttpSettings, protocol::Guids};
/// let mut settings = HttpSettings::default();
/// settings.policies.guids = Guids::Optional;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policies {
    /// Whether a provision needs `organization_guid` and `space_guid` (PROV-05). Default: it does.
    pub guids: Guids,
    /// What is wrong first with a DELETE of an unknown instance whose query is malformed (X02). Default: the query.
    pub deprovision_order: DeleteOrder,
    /// The same for DELETE of an unknown binding. Default: the query.
    pub unbind_order: DeleteOrder,
    /// Whether `accepts_incomplete` counts among the fields of a body too, where versions 2.7 to 2.11 listed it (S11).
    /// Other versions have it in the query only. Default: true.
    pub accepts_incomplete_in_body: bool,
    /// The version since which platforms understand that a binding takes time: `accepts_incomplete` of older ones is
    /// ignored there (G3). Default: 2.14.
    pub asynchronous_bindings_since: ApiVersion,
    /// What to do about an originating identity that can't be read (T41). Default: ignore it.
    pub malformed_origin: MalformedOrigin,
}

impl Default for Policies {
    fn default() -> Self {
        Self {
            guids: Guids::default(),
            deprovision_order: DeleteOrder::default(),
            unbind_order: DeleteOrder::default(),
            accepts_incomplete_in_body: true,
            asynchronous_bindings_since: ApiVersion::new(2, 14),
            malformed_origin: MalformedOrigin::default(),
        }
    }
}

/// Whether a provision needs `organization_guid` and `space_guid` (PROV-05).
///
/// Whatever is chosen, a platform before 2.12 may send a `context` instead (S12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Guids {
    /// It does, as the specification says and conformance checkers expect: 400 if one is missing or empty.
    #[default]
    Required,
    /// It does not, for platforms that have no organisations and spaces. Missing and empty are the same, and the
    /// `context` stands in if it has them.
    Optional,
}

/// Which answer comes first for a DELETE that is malformed, and about something that does not exist (X02). If it does
/// exist, the answer is 400 in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DeleteOrder {
    /// 400: what is malformed is malformed whatever exists.
    #[default]
    MalformedFirst,
    /// 410: there is nothing to delete, whatever else is wrong.
    GoneFirst,
}

/// What to do about an `X-Broker-API-Originating-Identity` that is not a platform and a JSON object in Base64 (T41).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MalformedOrigin {
    /// Go on without it, and log a warning: platforms need not send it at all.
    #[default]
    Ignore,
    /// Answer 400: for brokers that have to know who does what.
    Refuse400,
}
