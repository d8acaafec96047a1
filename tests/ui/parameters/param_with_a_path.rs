//! `param` has a path.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[osb_runtime::param(range(min = 1))]
    pub ttl: u32,
}

fn main() {}
