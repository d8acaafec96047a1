//! A field is an `Arc<str>`.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    pub name: std::sync::Arc<str>,
    /// Comments.
    pub comment: Option<Option<String>>,
}

fn main() {}
