//! Constraints of a newtype stand on the type.

use osb_runtime::prelude::*;

/// Megabytes.
#[parameters(range(min = 1, max = 10))]
pub struct Size(u32);

fn main() {}
