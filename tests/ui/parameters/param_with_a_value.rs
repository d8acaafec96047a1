//! `param` has a value and no arguments.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param = 3]
    pub ttl: u32,
}

fn main() {}
