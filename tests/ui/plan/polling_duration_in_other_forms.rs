//! Polling durations are expressions, words, negative, zero, too long or fractions, or have a unit without quotes or another one.

use osb_runtime::prelude::*;

// Mistake: A polling duration is an expression.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", maximum_polling_duration = 2 * 60 * 60)]
pub struct Calculated;

// Mistake: A polling duration has no value.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", maximum_polling_duration)]
pub struct Flag;

// Mistake: A polling duration is written in words.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", maximum_polling_duration = "2 hours")]
pub struct Words;

// Mistake: A polling duration is negative.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", maximum_polling_duration = -60)]
pub struct Negative;

// Mistake: A polling duration is longer than platforms can store.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", maximum_polling_duration = "100000d")]
pub struct Long;

// Mistake: A polling duration has a fraction.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", maximum_polling_duration = 60.5)]
pub struct Fraction;

// Mistake: The duration has a suffix that is no unit.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", maximum_polling_duration = 7200u32)]
pub struct Suffix;

// Mistake: A polling duration has a unit, but no quotes.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "free", maximum_polling_duration = 2h)]
pub struct Unquoted;

// Mistake: A polling duration is a string without a unit.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "free", maximum_polling_duration = "7200")]
pub struct Unitless;

// Mistake: A polling duration is zero.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "free", maximum_polling_duration = 0)]
pub struct Zero;

fn main() {}
