//! A change to a retired plan.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Old), changes(Free => Old))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 5 MB, no longer offered.
#[plan(id = "8a4a2b52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "old", retired)]
pub struct Old;

changes!(Kv, Free => Old);

fn main() {}
