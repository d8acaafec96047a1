//! Bullets are blank, a number, or one string in place of a list.

use osb_runtime::prelude::*;

// Mistake: A bullet is blank.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", metadata(bullets("10 MB", "")))]
pub struct Blank;

// Mistake: A bullet is a number.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", metadata(bullets("10 MB", 7)))]
pub struct Number;

// Mistake: A single bullet instead of a list.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", metadata(bullets = "10 MB"))]
pub struct Text;

fn main() {}
