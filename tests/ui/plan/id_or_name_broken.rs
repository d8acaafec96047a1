//! Ids and names are empty, missing, too long, in other forms, or have characters that can't be seen.

use osb_runtime::prelude::*;

// Mistake: The id is a blank string.
/// 10 MB, for trying things out.
#[plan(id = " ", name = "free")]
pub struct BlankId;

// Mistake: A plan has no id.
/// 10 MB, for trying things out.
#[plan(name = "free")]
pub struct IdMissing;

// Mistake: The id is a number.
/// 10 MB, for trying things out.
#[plan(id = 8, name = "free")]
pub struct Number;

// Mistake: The id has more than 255 characters.
/// 1 GB, billed monthly.
#[plan(id = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", name = "pro")]
pub struct LongId;

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

// Mistake: The name is an empty string.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "")]
pub struct Blank;

// Mistake: A plan has no name.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02")]
pub struct Missing;

// Mistake: The name has more characters than Cloud Foundry stores.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")]
pub struct Long;

// Mistake: A name has a zero-width space.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "pro\u{200B}fi")]
pub struct Invisible;

// Mistake: A name ends with a line end.
/// 1 GB, billed monthly.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "pro\n")]
pub struct LineEnd;

fn main() {}
