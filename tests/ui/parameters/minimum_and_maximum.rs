//! The bounds have the names of JSON Schema.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(minimum = 1, maximum = 60)]
    pub ttl: u32,
}

fn main() {}
