//! The attribute is on a function, a module or an enum.

use osb_runtime::prelude::*;

// Mistake: The attribute is on a function.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub fn free() {}

// Mistake: The attribute is on a module.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub mod free {}

// Mistake: The attribute is on an enum.
/// A size.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub enum Size {
    /// 10 MB.
    Free,
}

fn main() {}
