//! Patterns are expressions.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    #[param(pattern = "^a$".to_owned())]
    pub name: String,
    /// The region.
    #[param(pattern = ("^b$"))]
    pub region: String,
    /// The zone.
    #[param(pattern = zone())]
    pub zone: String,
}

fn main() {}
