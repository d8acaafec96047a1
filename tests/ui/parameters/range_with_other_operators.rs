//! Bounds are neither equations nor comparisons.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The size.
    #[param(range(min - 1))]
    pub size: u32,
    /// The replicas.
    #[param(range<min = 1)]
    pub replicas: u32,
}

fn main() {}
