//! Plans have a type parameter or a lifetime.

use osb_runtime::prelude::*;

// Mistake: A plan has a type parameter.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free<T>(T);

// Mistake: A plan has a lifetime.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free")]
pub struct Pro<'a>(&'a str);

fn main() {}
