//! A member of the metadata has no quotes.

use osb_runtime::prelude::*;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", metadata(color: gold))]
pub struct Pro;

fn main() {}
