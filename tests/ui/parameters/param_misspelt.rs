//! `param` is called `parameter`.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[parameter(range(min = 1))]
    pub ttl: u32,
}

fn main() {}
