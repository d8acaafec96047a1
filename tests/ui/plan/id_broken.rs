//! Ids are blank, missing, too long, numbers or without a value, or have characters that can't be seen.

use osb_runtime::prelude::*;

// Mistake: The id is a blank string.
/// 10 MB, for trying things out.
#[plan(id = " ", name = "free")]
pub struct Blank;

// Mistake: A plan has no id.
/// 10 MB, for trying things out.
#[plan(name = "free")]
pub struct Missing;

// Mistake: The id is a number.
/// 10 MB, for trying things out.
#[plan(id = 8, name = "free")]
pub struct Number;

// Mistake: The id has more than 255 characters.
/// 1 GB, billed monthly.
#[plan(id = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", name = "pro")]
pub struct Long;

// Mistake: An id has a letter that is printed as nothing.
/// 1 GB, billed monthly.
#[plan(id = "pro\u{3164}", name = "pro")]
pub struct Letter;

// Mistake: An id has a control character.
/// 1 GB, billed monthly.
#[plan(id = "pro\u{7f}", name = "pro")]
pub struct Control;

// Mistake: The id has no value.
/// 10 MB, for trying things out.
#[plan(id, name = "free")]
pub struct Valueless;

// Mistake: A value is missing.
/// 10 MB, for trying things out.
#[plan(id = , name = "free")]
pub struct HalfTyped;

fn main() {}
