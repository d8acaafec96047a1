//! Ids are blank, missing, too long, numbers or without a value, or have characters that can't be seen.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = " ", name = "free")]
pub struct Blank;

/// 10 MB, for trying things out.
#[plan(name = "free")]
pub struct Missing;

/// 10 MB, for trying things out.
#[plan(id = 8, name = "free")]
pub struct Number;

/// 1 GB, billed monthly.
#[plan(id = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", name = "pro")]
pub struct Long;

/// 1 GB, billed monthly.
#[plan(id = "pro\u{3164}", name = "pro")]
pub struct Letter;

/// 1 GB, billed monthly.
#[plan(id = "pro\u{7f}", name = "pro")]
pub struct Control;

/// 10 MB, for trying things out.
#[plan(id, name = "free")]
pub struct Valueless;

/// 10 MB, for trying things out.
#[plan(id = , name = "free")]
pub struct HalfTyped;

fn main() {}
