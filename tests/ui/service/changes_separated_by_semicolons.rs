//! Changes are separated by a semicolon.

use osb_runtime::prelude::*;

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(Free, Pro),
    changes(Free => Pro; Pro => Free),
    version = "1.0.0",
    provider = "ACME",
)]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
pub struct Pro;

fn main() {}
