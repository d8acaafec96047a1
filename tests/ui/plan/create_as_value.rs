//! `create` is a value.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = New {})]
pub struct Free;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    pub ttl: u32,
}

fn main() {}
