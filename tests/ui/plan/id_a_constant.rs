//! The id is the name of a constant, whose value a macro cannot read.

use osb_runtime::prelude::*;

const ID: &str = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01";

/// 10 MB, for trying things out.
#[plan(id = ID, name = "free")]
pub struct Free;

fn main() {}
