//! Arguments are misspelt, or unlike any known one.

use osb_runtime::prelude::*;

// Mistake: An argument lacks a letter.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", binable)]
pub struct Misspelt;

// Mistake: An argument is unlike any known one.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", colour = "red")]
pub struct Unknown;

// Mistake: The id is called `guid`.
/// 10 MB.
#[plan(guid = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free")]
pub struct Guid;

fn main() {}
