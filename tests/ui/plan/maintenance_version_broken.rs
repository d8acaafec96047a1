//! Versions with two numbers, a `v`, a leading zero, or an empty part at the end.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", maintenance_info(version = "1.2"))]
pub struct Two;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", maintenance_info(version = "1.2.3+"))]
pub struct Build;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", maintenance_info(version = "1.2.3-"))]
pub struct PreRelease;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", maintenance_info(version = "1.02.3"))]
pub struct Zero;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", maintenance_info(version = "v1.2.3"))]
pub struct V;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", update = NoParameters, maintenance_info(version = 16.4))]
pub struct Number;

fn main() {}
