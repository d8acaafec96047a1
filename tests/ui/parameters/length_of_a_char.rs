//! A `char` has a length.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(length(max = 1))]
    pub separator: char,
}

fn main() {}
