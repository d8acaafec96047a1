//! Flags are given parentheses, a number or a string; a plan with costs in which `free` is a string gets no warning.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: A flag is given parentheses.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", free(false))]
pub struct List;

// Mistake: A flag is given as a number.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", free = 0)]
pub struct Number;

// Mistake: A flag is given as a string.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", free = "false")]
pub struct Text;

// Mistake: `free` is in quotes: no warning that the plan is free and has costs.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "pro", free = "false", metadata(costs((usd = 9, unit = "MONTHLY"))))]
pub struct Pro;

// Mistake: A flag is another word for `true`.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "max", bindable, rotatable = "yes")]
pub struct Yes;

fn main() {}
