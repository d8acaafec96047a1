//! Parameters are created with `default()`, which their type does not implement.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(default = 60)]
    pub ttl: u32,
}

fn main() {
    let _ = NewStore::default();
}
