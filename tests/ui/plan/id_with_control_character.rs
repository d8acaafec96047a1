//! An id has a control character.

use osb_runtime::prelude::*;

/// 1 GB, billed monthly.
#[plan(id = "pro\u{7f}", name = "pro")]
pub struct Pro;

fn main() {}
