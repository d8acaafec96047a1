//! A length has no bounds, or one in words.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    #[param(length())]
    pub name: String,
    /// The region.
    #[param(length(max = "ten"))]
    pub region: String,
    /// The zone.
    #[param(length(max = "10"))]
    pub zone: String,
}

fn main() {}
