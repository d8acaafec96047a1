//! The bounds of a range are comparisons: only one error.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(range(min >= 1, max <= 5))]
    pub ttl: u32,
}

fn main() {}
