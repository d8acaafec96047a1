//! The protocol: API versions, identities, requests, answers, and platform contexts.

mod answer;
mod body;
mod context;
mod endpoint;
pub mod headers;
mod id;
pub(crate) mod parse;
mod policies;
mod redact;
mod request;
mod tenant;
#[cfg(test)]
#[path = "../../tests/unit/protocol.rs"]
mod tests;
mod trace;
mod uri;
mod version;

pub(crate) use answer::{Answer, AnswerHeader, Body, HtmlBody, shorten};
pub use context::{CloudFoundry, Context, Kubernetes, LazyContext};
pub use endpoint::Endpoint;
pub(crate) use endpoint::PathMatch;
pub use id::{BindingId, InstanceId, RequestIdentity};
pub use policies::{Guids, MalformedDelete, MalformedIdentity, Policies};
pub(crate) use redact::{Names, debug_fields, debug_text};
pub use request::{BindResource, Origin};
pub(crate) use request::{
    DeleteResource, GetLastOperation, GetResource, PatchInstance, PreviousValues, PutBinding, PutInstance, Request,
    RequestMeta, Target,
};
pub use tenant::{InvalidTenant, Tenant};
pub use trace::{InvalidTraceParent, TRACEPARENT, TraceParent};
pub(crate) use uri::{Query, invalid_id_reason, path_id};
pub use version::{ApiVersion, InvalidApiVersion};
