//! A property is renamed as in other frameworks.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The mode.
    #[param(name = "filter-mode")]
    pub mode: String,
}

fn main() {}
