//! The name of a lock file is not a string.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// The broker.
#[broker(lock = true)]
pub struct Broker {
    kv: Kv,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// Another broker.
#[broker(lock = catalog.lock)]
pub struct Other {
    kv: Kv,
}

fn main() {}
