//! The attribute is on an enum.

use osb_runtime::prelude::*;

/// A size.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub enum Size {
    /// 10 MB.
    Free,
}

fn main() {}
