//! An array is longer than those that serde reads.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The key.
    pub key: [u8; 64],
}

fn main() {}
