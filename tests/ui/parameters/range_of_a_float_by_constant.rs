//! A bound is a constant with decimals.

use osb_runtime::prelude::*;

const MAX: f64 = 0.9;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The share.
    #[param(range(max = MAX))]
    pub share: f64,
}

fn main() {}
