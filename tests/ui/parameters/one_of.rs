//! A list of values is no constraint: an enum is.

use osb_runtime::prelude::*;

/// Options.
#[parameters]
pub struct Options {
    /// Where the data is.
    #[param(one_of("eu", "us"))]
    pub region: String,
}

fn main() {}
