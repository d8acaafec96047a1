//! A plan has no arguments: all missing ones are reported at once. Or it lacks a name only.

use osb_runtime::prelude::*;

#[plan]
pub struct Free;

/// 1 GB.
#[allow(non_camel_case_types)]
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01")]
pub struct r#type;

fn main() {}
