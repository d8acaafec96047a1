//! A class and a group that do not end.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    #[param(pattern = "^[a-z+$")]
    pub name: String,

    /// The zone.
    #[param(pattern = "^(a|b$")]
    pub zone: String,
}

fn main() {}
