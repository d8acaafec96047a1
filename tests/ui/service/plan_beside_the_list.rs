//! One of two plans is beside the list: only one error.

use osb_runtime::prelude::*;

include!("../case.rs");

plans!(Free, Pro);

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), Pro)]
pub struct Kv;

provisions!(Kv);
