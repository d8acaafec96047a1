//! An array in credentials is longer than those that serde reads.

use osb_runtime::prelude::*;

/// The credentials of a store.
#[credentials]
pub struct Access {
    /// The key.
    pub key: [u8; 64],
}

fn main() {}
