//! Warning: the id is a placeholder.

#![deny(deprecated)]

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "00000000-0000-0000-0000-000000000000", name = "free")]
pub struct Free;

provisions!(Kv);

fn main() {}
