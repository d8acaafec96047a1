//! The default has fewer items than the minimum, which is one.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Nodes.
    #[param(length(min = 1), default = [])]
    pub nodes: Vec<String>,
}

fn main() {}
