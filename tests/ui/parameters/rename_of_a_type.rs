//! A type has no name on the wire.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(rename = "new-store")]
pub struct NewStore {
    /// Gigabytes.
    pub size_gb: u32,
}

fn main() {}
