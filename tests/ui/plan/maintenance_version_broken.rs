//! Versions with two numbers, a `v`, a leading zero, or an empty part at the end.

use osb_runtime::prelude::*;

// Mistake: The version has two numbers.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", maintenance_info(version = "1.2"))]
pub struct Two;

// Mistake: The version ends in a plus sign.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", maintenance_info(version = "1.2.3+"))]
pub struct Build;

// Mistake: The version ends in a hyphen.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", maintenance_info(version = "1.2.3-"))]
pub struct PreRelease;

// Mistake: A number of the version has a leading zero.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", maintenance_info(version = "1.02.3"))]
pub struct Zero;

// Mistake: The version has a `v` before it.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", maintenance_info(version = "v1.2.3"))]
pub struct V;

// Mistake: A version as a number.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", update = NoParameters, maintenance_info(version = 16.4))]
pub struct Number;

fn main() {}
