//! A bound is in quotes.

use osb_runtime::prelude::*;

/// Options.
#[parameters]
pub struct Options {
    /// The name.
    #[param(length(max = "30"))]
    pub name: String,
}

fn main() {}
