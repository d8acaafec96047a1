//! The bounds are a range of Rust.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(range(1..=10))]
    pub ttl: u32,
}

fn main() {}
