//! A field with a default has a type without `#[parameters]`.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Where it is.
    #[param(default = "Eu")]
    pub region: Region,
}

/// A region.
#[derive(Debug, Clone)]
pub enum Region {
    /// Frankfurt.
    Eu,
}

fn main() {}
