//! Several mistakes in one attribute, or several missing arguments, are reported at once.

use osb_runtime::prelude::*;

// Mistake: A plan has no arguments: all missing ones are reported at once.
#[plan]
pub struct Free;

// Mistake: A plan lacks a name only.
/// 1 GB.
#[allow(non_camel_case_types)]
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01")]
pub struct r#type;

// Mistake: Five mistakes in one attribute make five errors.
#[plan(id = "", name = 5, free = "no", metadata(bullets("")), rotatable)]
pub struct Five;

fn main() {}
