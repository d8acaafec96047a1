//! A field is a reference without a lifetime.

use osb_runtime::prelude::*;

/// Parameters.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Where the store is.
    pub place: Option<&str>,
}

fn main() {}
