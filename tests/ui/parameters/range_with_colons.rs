//! The bounds have colons.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(range(min: 1, max: 10))]
    pub ttl: u32,
}

fn main() {}
