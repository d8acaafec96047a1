//! The ids of plans of two services differ only in case.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
    queue: Queue,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// A queue.
#[service(id = "8a4a2b53-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "queue", plans(Small))]
pub struct Queue;

provisions!(Queue);

/// 10 messages.
#[plan(id = "8A4A2B58-54A5-4A3C-9E0A-6B1C4F6F5A01", name = "small")]
pub struct Small;

fn main() {}
