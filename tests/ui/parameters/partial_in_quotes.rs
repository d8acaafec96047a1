//! The name of the partial type is in quotes: the type is there all the same.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = "Changes")]
#[derive(Debug)]
pub struct New {
    #[param(default = 60)]
    pub ttl: u32,
}

pub fn used(changes: Changes) -> Change<u32> {
    changes.ttl
}

fn main() {}
