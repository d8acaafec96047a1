//! The pattern is a compiled one.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(pattern = Regex::new("^[a-z]+$"))]
    pub name: String,
}

fn main() {}
