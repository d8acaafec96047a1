//! Names of arguments are in quotes or missing, or an argument is given twice.

use osb_runtime::prelude::*;

// Mistake: The name of an argument is in quotes.
/// 10 MB, for trying things out.
#[plan("id" = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Quoted;

// Mistake: An argument is a string.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", "free")]
pub struct Word;

// Mistake: An argument is given twice.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", name = "gratis")]
pub struct Twice;

fn main() {}
