//! A field has a type of a crate that isn't there, in a type with a partial one.

use osb_runtime::prelude::*;

/// The size of a store.
#[parameters(partial = SizeUpdate)]
pub struct Size {
    /// When it is deleted.
    pub end: Option<chrono::NaiveDate>,
}

fn main() {}
