//! No service offers a plan.

use osb_runtime::prelude::*;

include!("../case.rs");

store!();

/// 1 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;
