//! The type of an update stands in `create` too, and no handler uses it.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "queue", plans(Small))]
pub struct Queues;

provisions!(Queues);
updates!(Queues, Small);

/// Small.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small", create = Changes, update = Changes)]
pub struct Small;

/// A new queue.
#[parameters(partial = Changes)]
pub struct New {
    /// Number of messages.
    #[param(default = 1_000)]
    pub messages: u32,
}
