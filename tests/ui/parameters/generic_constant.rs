//! A bound is a generic parameter.

use osb_runtime::prelude::*;

/// Options.
#[parameters]
pub struct Options<const MAX: u32> {
    /// Megabytes.
    #[param(range(max = MAX))]
    pub size: u32,
}

fn main() {}
