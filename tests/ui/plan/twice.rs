//! The attribute is there twice, once with a path too.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

// Mistake: The attribute is there twice.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
#[plan(bindable)]
pub struct Free;

// Mistake: The attribute stands on the item twice, once with a path.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
#[osb_runtime::plan(retired)]
pub struct Pro;

provisions!(Kv);

fn main() {}
