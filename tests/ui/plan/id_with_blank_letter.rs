//! An id has a letter that is printed as nothing.

use osb_runtime::prelude::*;

/// 1 GB, billed monthly.
#[plan(id = "pro\u{3164}", name = "pro")]
pub struct Pro;

fn main() {}
