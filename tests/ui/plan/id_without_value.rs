//! The id has no value.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id, name = "free")]
pub struct Free;

fn main() {}
