//! `param` has no arguments.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param]
    pub ttl: u32,
}

fn main() {}
