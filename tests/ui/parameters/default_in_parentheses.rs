//! A default in parentheses.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Gigabytes.
    #[param(default(10))]
    pub size_gb: u32,
}

fn main() {}
