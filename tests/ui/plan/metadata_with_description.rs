//! The description is in the metadata.

use osb_runtime::prelude::*;

#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", description = "10 MB.", metadata(description = "10 MB, for trying things out."))]
pub struct Free;

fn main() {}
