//! A flag has no length.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Whether it is encrypted.
    #[param(length(max = 5))]
    pub encrypted: bool,
}

fn main() {}
