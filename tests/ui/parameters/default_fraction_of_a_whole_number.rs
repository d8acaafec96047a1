//! The default of a whole number is a constant with a fraction.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = TTL)]
    pub ttl: u32,
}

const TTL: f64 = 1.5;

fn main() {}
