//! A service with a mistake is in the broker: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
    queue: Queue,
}

store!();

/// A queue.
#[service(id = "8a4a2b53-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Small, Small))]
pub struct Queue;

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "small")]
pub struct Small;

fn main() {}
