//! The default of an enum is a number.

use osb_runtime::prelude::*;

/// How values are evicted.
#[parameters]
pub enum Eviction {
    Oldest,
    Random,
}


/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// How values are evicted.
    #[param(default = 1)]
    pub eviction: Eviction,
}

fn main() {}
