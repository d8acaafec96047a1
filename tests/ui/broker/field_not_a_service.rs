//! Fields of the broker are no services, but a time or a plan.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
    // Mistake: A field of the broker is a plan.
    free: Free,
    // Mistake: A field of the broker is not a service.
    started: std::time::Instant,
}
