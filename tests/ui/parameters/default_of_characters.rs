//! The default of a list of strings has characters.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The drives.
    #[param(default = ['c', 'd'])]
    pub drives: Vec<String>,
}

fn main() {}
