//! Bindings are always asynchronous, and cannot be fetched.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), bindings_retrievable = false)]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable, asynchronous(bindings = always))]
pub struct Free;

binds!(Kv, Free = LogDrain);

fn main() {}
