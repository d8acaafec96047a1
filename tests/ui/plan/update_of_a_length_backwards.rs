//! No value has the length of a parameter, and a plan uses the update: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "queue", plans(Small))]
pub struct Queues;

/// Small.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small", create = New, update = Changes)]
pub struct Small;

/// A new queue.
#[parameters(partial = Changes)]
pub struct New {
    /// Addresses that get an alarm.
    #[param(length(min = 5, max = 3))]
    pub alarms: Vec<String>,
}

provisions!(Queues);
updates!(Queues, Small);

fn main() {}
