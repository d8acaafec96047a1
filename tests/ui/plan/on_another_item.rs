//! The attribute is on a function, a module or an enum.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub fn free() {}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub mod free {}

/// A size.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub enum Size {
    /// 10 MB.
    Free,
}

fn main() {}
