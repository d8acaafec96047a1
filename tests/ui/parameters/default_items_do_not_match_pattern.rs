//! Elements of defaults do not match the pattern of elements.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The readers.
    #[param(items(pattern = "^[a-z]+$"), default = ["a", "B"])]
    pub readers: Vec<String>,
    /// The labels.
    #[param(items(pattern = "^[a-z]+$"), default = { "a": "b", "c": "D" })]
    pub labels: std::collections::BTreeMap<String, String>,
}

fn main() {}
