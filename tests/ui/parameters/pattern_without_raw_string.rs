//! The backslash of a pattern is an escape of the string.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    #[param(pattern = "^\d+$")]
    pub name: String,
}

fn main() {}
