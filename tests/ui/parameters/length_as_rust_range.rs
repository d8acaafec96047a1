//! The length is a range of Rust.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(length(1..32))]
    pub name: String,
}

fn main() {}
