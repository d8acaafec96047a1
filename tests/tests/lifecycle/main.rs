//! Instances and bindings from their creation to their deletion, and the records of them.

mod administration;
mod answers_to_platforms;
mod audit;
mod blocking;
mod cascades;
mod claims;
mod directed;
mod identity;
mod lifecycle;
mod lifecycle_async;
mod lifecycle_cancelled;
mod lifecycle_failures;
mod lifecycle_same;
mod lifecycle_takeover;
mod lifecycle_versions;
mod many_requests;
mod monitoring;
mod offered_attributes;
mod own_errors;
mod policies;
mod records_of_releases;
mod replay;
mod rotation;
mod served;
mod stalled_store;
mod tenants;
