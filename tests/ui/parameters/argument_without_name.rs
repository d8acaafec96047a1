//! A list has no brackets, so its second value has no name.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Those who may read it.
    #[param(default = "a", "b")]
    pub readers: Vec<String>,
}

fn main() {}
