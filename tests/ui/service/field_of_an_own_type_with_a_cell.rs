//! A field has a type of the author's that threads cannot share.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// Values in memory.
pub struct Cache {
    values: std::cell::RefCell<Vec<String>>,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    cache: Cache,
    limit: Option<u32>,
}

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

fn main() {}
