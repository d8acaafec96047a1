//! An unknown word instead of `always` or `never`.

use osb_runtime::prelude::*;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", asynchronous(instances = slow))]
pub struct Free;

fn main() {}
