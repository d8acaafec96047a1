//! A map is `unique`.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Labels.
    #[param(unique)]
    pub labels: std::collections::BTreeMap<String, String>,
}

fn main() {}
