//! The default of a `String` is a constant of another type.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = REGION)]
    pub region: String,
}

const REGION: u32 = 1;

fn main() {}
