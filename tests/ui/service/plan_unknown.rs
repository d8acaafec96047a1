//! A service has a plan that does not exist, and a change to it.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: A listed type does not exist.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(tiers::Fre))]
pub struct Queue;

/// The plans.
pub mod tiers {}

// Mistake: A service has a plan that does not exist, and a change to it.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Prro), changes(Free => Prro))]
pub struct Kv;

plans!(Free);

provisions!(Queue, Kv);

#[broker]
pub struct Broker(Queue, Kv);
