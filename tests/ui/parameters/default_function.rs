//! The default is a function.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = ttl)]
    pub ttl: u32,
}

const fn ttl() -> u32 {
    60
}

fn main() {}
