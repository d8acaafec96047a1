//! A plan has no id.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(name = "free")]
pub struct Free;

fn main() {}
