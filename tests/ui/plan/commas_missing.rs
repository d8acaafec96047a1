//! There are no commas between arguments.

use osb_runtime::prelude::*;

// Mistake: There is no comma between two arguments.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01" name = "free")]
pub struct Free;

// Mistake: There is no comma between any arguments.
/// 10 MB, for trying things out.
#[plan(bindable id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02" name = "free")]
pub struct Pro;

fn main() {}
