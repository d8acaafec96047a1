//! The plans stand alone among the arguments.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", Free, Pro, changes(Free => Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
pub struct Pro;

provisions!(Kv);

changes!(Kv, Free => Pro);

/// The broker.
#[broker]
pub struct Broker(Kv);

fn main() {}
