//! A field is a `Duration`.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    pub ttl: std::time::Duration,
}

fn main() {}
