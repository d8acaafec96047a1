//! Plans have fields, for what differs between plans, or plans of their own.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro, Nested, Own))]
pub struct Kv;

// Mistake: A plan has fields, for what differs between plans.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free {
    pub megabytes: u64,
}

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
pub struct Pro(pub u64);

// Mistake: Plans that a service lists have plans of their own.
/// 100 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "nested", bindable, plans(Own))]
pub struct Nested;

/// 1 TB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "own", plans(Nested, Own))]
pub struct Own;

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}
