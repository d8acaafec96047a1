//! A nested type has no partial type, and a plan uses the update: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "queue", plans(Small, Large))]
pub struct Queues;

/// Small.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small", create = New, update = Changes)]
pub struct Small;

/// Large.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "large", create = New, update = Changes)]
pub struct Large;

/// A new queue.
#[parameters(partial = Changes)]
pub struct New {
    /// Retries.
    pub retry: Option<Retry>,
}

/// Retries.
#[parameters]
pub struct Retry {
    /// The number of retries.
    #[param(immutable)]
    pub times: u8,
}

provisions!(Queues);
updates!(Queues, Small, Large);

fn main() {}
