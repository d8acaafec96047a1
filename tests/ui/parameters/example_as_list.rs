//! Several examples of a number are written as a list.

use osb_runtime::prelude::*;

/// The size of a store.
#[parameters]
pub struct Size {
    /// Megabytes.
    #[param(example = [1, 2])]
    pub size: u32,
}

fn main() {}
