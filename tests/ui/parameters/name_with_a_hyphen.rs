//! The name of an argument has a hyphen.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(rename-all = "camelCase")]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: u32,
}

fn main() {}
