//! An `Option` is in a `Box`, an array or a map.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Prefix of the keys.
    pub prefix: Box<Option<String>>,
    /// Two replicas.
    pub replicas: [Option<u8>; 2],
    /// Labels.
    pub labels: std::collections::BTreeMap<String, Option<String>>,
}

fn main() {}
