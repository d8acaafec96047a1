//! A flag has no length.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Encryption on disk.
    #[param(length(max = 5))]
    pub encrypted: bool,
}

fn main() {}
