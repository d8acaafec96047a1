//! Words for things that have other names, or other places.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// 10 MB, for trying things out.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "free",
    provision = NewStore,
    credentials = Access,
    version = "1.0.0",
    instances = always,
    bindings = never,
    max_instances = 5,
    values(gigabytes = 5),
)]
pub struct Free;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

fn main() {}
