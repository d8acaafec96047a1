//! Warning: two plan names differ only in case, or bindings can be fetched although no plan is bindable.

#![deny(deprecated)]

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: Warning: two plan names differ only in case.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, plans::Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// A paid plan.
pub mod plans {
    use super::*;

    /// 1 GB, billed monthly.
    #[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "FREE", free = false)]
    pub struct Pro;
}

// Mistake: Warning: bindings can be fetched, but no plan is bindable.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small), bindings_retrievable)]
pub struct Queue;

/// 100 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

// Mistake: Warning: bindings can be fetched, but the only bindable plan is retired.
/// Mail.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "mail", plans(Basic, Old), bindings_retrievable)]
pub struct Mail;

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "basic")]
pub struct Basic;

/// The plan of an earlier release.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "old", bindable, retired)]
pub struct Old;

provisions!(Kv, Queue, Mail);
binds!(Mail, Old = Endpoints);
