//! Services do not provision a plan, also one that has all other handlers: only one error; or no service offers a plan.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: A plan has all handlers but `Provision`: only one error.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

plans!(Free);

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", bindable, maintenance_info(version = "1.0.0"))]
pub struct Pro;

impl Provision<Free> for Kv {
    provision_items!(Free);
}

binds!(Kv, Pro = LogDrain);
updates!(Kv, Pro);
changes!(Kv, Free => Pro);

// Mistake: A plan is listed, but the service does not provision it.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(tiers::Small))]
pub struct Queue;

/// The only plan.
pub mod tiers {
    plans!(Small);
}

// Mistake: No service offers a plan.
/// 10 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "large", free = false)]
pub struct Large;

#[broker]
pub struct Broker(Kv, Queue);
