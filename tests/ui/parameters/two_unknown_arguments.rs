//! Two arguments are of other frameworks, each for something else.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    #[param(min_length = 1, sensitive)]
    pub name: String,
}

fn main() {}
