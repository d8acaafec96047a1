//! A colon, an arrow or another operator instead of an equals sign.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name: "free")]
pub struct Free;

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name => "pro")]
pub struct Pro;

/// 2 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a02", name := "large")]
pub struct Large;

/// 3 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a03", name == "huge")]
pub struct Huge;

/// 4 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "giant", metadata: (display_name = "Giant"))]
pub struct Giant;

fn main() {}
