//! The doc comment is included from another file.

use osb_runtime::prelude::*;

#[doc = include_str!("description_unreadable.rs")]
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

fn main() {}
