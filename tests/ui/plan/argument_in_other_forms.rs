//! Names of arguments are in quotes or missing, or an argument is given twice.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan("id" = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Quoted;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", "free")]
pub struct Word;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", name = "gratis")]
pub struct Twice;

fn main() {}
