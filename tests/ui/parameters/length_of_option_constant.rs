//! A length is a constant of the wrong type.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(length(max = MAX))]
    pub name: String,
}

const MAX: Option<u32> = Some(20);

fn main() {}
