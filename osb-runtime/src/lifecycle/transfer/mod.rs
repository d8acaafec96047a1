//! Instances as lines of JSON, to import them from another broker and to export them to one.
//!
//! A line is an instance with its bindings. The names are those of the specification, and of this crate for its own data:
//!
//! ```json
//! {
//!   "tenant": "cf-prod", "instance_id": "…", "service_id": "…", "plan_id": "…",
//!   "organization_guid": "…", "space_guid": "…", "context": {}, "parameters": {},
//!   "state": {}, "state_version": 0,
//!   "dashboard_url": "https://…", "metadata": { "labels": {}, "attributes": {} }, "maintenance_info": { "version": "1.0.0" },
//!   "bindings": [{
//!     "binding_id": "…", "plan_id": "…", "bind_resource": { "app_guid": "…" }, "context": {}, "parameters": {},
//!     "predecessor_binding_id": "…", "state": {}, "state_version": 0,
//!     "credentials": {}, "without_credentials": false,
//!     "metadata": { "expires_at": "2027-01-01T00:00:00.0Z" }, "has_expired": false
//!   }],
//!   "half_updated": false, "unfinished_change": { "plan_id": "…", "state": {}, "state_version": 0 }
//! }
//! ```
//!
//! Only the ids and the values that the broker's types need are required: a state other than `()`, parameters without a default,
//! and credentials, unless `without_credentials` says that they were read once and not kept. A binding has the plan of its
//! instance, unless it has a `plan_id`: bindings keep their plan when the instance changes it. `has_expired` says that
//! [`Hooks::expired`](crate::lifecycle::Hooks::expired) was called, `half_updated` that a failed update may have changed a part, so
//! that the next one calls the handler, and `unfinished_change` is the checkpoint of a failed change to another plan. `state` is
//! the author's [`State`](crate::service::Provision::State), `state_version` the
//! [`STATE_VERSION`](crate::service::Provision::STATE_VERSION) that it was written with, by default that of this release.

mod fields;
mod read;
mod write;

use crate::store::{Key, Phase};

pub use self::{read::read, write::write};

/// The rules for parameters and credentials in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// The schemas, as for those of a request.
    New,
    /// The types alone, as for stored values: an earlier release accepted them.
    Stored,
}

/// The error for an instance or a binding that can't be handed to another broker at the moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} is in the phase {}", phase.as_str())]
#[non_exhaustive]
pub struct Unsettled {
    /// Its key.
    pub key: Key,
    /// Its phase, which is not `Ready`.
    pub phase: Phase,
}
