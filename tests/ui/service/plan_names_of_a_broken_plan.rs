//! A plan with a mistake has the name of another plan: only one error.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

provisions!(Kv);

plans!(Free);

/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", prize = 3)]
pub struct Pro;
