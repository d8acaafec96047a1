//! A field is there twice.

use osb_runtime::prelude::*;

/// Parameters.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: u32,
    /// Seconds after which a key expires.
    pub ttl: u32,
}

fn main() {}
