//! The id is a number.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = 8, name = "free")]
pub struct Free;

fn main() {}
