//! The keys of a JSON object have no quotes.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Labels.
    #[param(default = { color: "blue" })]
    pub labels: std::collections::BTreeMap<String, String>,
}

fn main() {}
