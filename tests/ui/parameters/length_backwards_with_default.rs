//! The length of a field with a default is empty.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Labels.
    #[param(length(min = 20, max = 16), default = {})]
    pub labels: std::collections::BTreeMap<String, String>,
}

fn main() {}
