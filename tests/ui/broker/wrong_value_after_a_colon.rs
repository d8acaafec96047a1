//! A colon is in place of an equals sign, and the value is wrong too.

use osb_runtime::prelude::*;

include!("../case.rs");

/// The broker.
#[broker(deny: lowercase_names)]
pub struct Broker {
    kv: Kv,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id: "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name: 10, free: "yes")]
pub struct Free;

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans: [Small, Large], changes: [Small, Large])]
pub struct Queue;

provisions!(Queue);

plans!(Small, Large);

/// The parameters of a store.
#[parameters]
pub struct NewStore {
    /// Seconds.
    #[param(range: 5, default: 3)]
    pub ttl: u32,
    /// A name.
    #[param(length: 5)]
    pub name: String,
}
