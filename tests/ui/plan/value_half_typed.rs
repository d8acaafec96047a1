//! A value is missing.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = , name = "free")]
pub struct Free;

fn main() {}
