//! In a type with `partial`, an array that is too long is one mistake too.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(partial = Changes)]
pub struct NewStore {
    /// The key.
    pub key: Option<[u8; 64]>,
    /// Seconds.
    pub ttl: u32,
}

fn main() {}
