//! A repetition in a pattern has only its largest number.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    #[param(pattern = "^[a-z]{,62}$")]
    pub name: String,
}

fn main() {}
