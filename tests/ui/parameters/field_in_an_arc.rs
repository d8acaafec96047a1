//! A field is an `Arc`.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Where it is.
    pub region: std::sync::Arc<String>,
}

fn main() {}
