//! A service lists itself as its plan.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Kv))]
pub struct Kv;

provisions!(Kv);

#[broker]
pub struct Broker(Kv);

fn main() {}
