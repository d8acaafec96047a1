//! A bound is a constant of the wrong type, and the default is fine: only one error.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(range(min = 1, max = MAX), default = 60)]
    pub ttl: u32,
}

const MAX: &str = "3600";

fn main() {}
