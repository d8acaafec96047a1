//! The type whose parameters a plan narrows has a field without a type: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "queue", plans(Small))]
pub struct Queues;

/// Small.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small", create = New, narrow(messages(max = 10)))]
pub struct Small;

/// A new queue.
#[parameters]
pub struct New {
    /// Number of messages.
    pub messages: u32,
    /// Time to live.
    #[param(default = 60)]
    pub ttl
}

provisions!(Queues);

fn main() {}
