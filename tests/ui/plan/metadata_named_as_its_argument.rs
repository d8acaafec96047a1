//! An argument of the metadata is written as a JSON member.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", metadata("display_name": "Free"))]
pub struct Free;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

fn main() {}
