//! Parameters with a mistake belong to a plan in a broker: only one error.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore)]
pub struct Free;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(range(min = 1 max = 5))]
    pub ttl: u32,
}

/// The broker.
#[broker]
pub struct Broker {
    /// The store.
    pub kv: Kv,
}
