//! A bound is in quotes, or has a unit.

use osb_runtime::prelude::*;

/// Options.
#[parameters]
pub struct Options {
    /// The name.
    #[param(length(max = "30"))]
    pub name: String,
    /// The size in GB.
    #[param(range(max = "1TB"))]
    pub size: u32,
}

fn main() {}
