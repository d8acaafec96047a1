//! Floats have no order, so that a set can't have them.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Shares of the load.
    pub shares: Option<std::collections::BTreeSet<f64>>,
}

fn main() {}
