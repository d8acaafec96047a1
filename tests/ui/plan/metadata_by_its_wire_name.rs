//! Metadata with an argument of its own is written as JSON, or nearly.

use osb_runtime::prelude::*;

// Mistake: Metadata with an argument of its own is written as JSON, or nearly.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", metadata("displayName": "Free of charge"))]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", metadata(displayName: "Professional"))]
pub struct Pro;

// Mistake: An argument of the metadata is written as a JSON member.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "free", metadata("display_name": "Free"))]
pub struct Large;

// Mistake: Metadata with an argument of its own is written as JSON.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", metadata("bullets": ["10 MB"], "costs": []))]
pub struct Bullets;

fn main() {}
