//! The default of a `bool` is a constant of another type.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = ON)]
    pub on: bool,
}

const ON: &str = "true";

fn main() {}
