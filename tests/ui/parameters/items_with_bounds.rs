//! The bounds of elements are not in `range`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct NewProxy {
    /// The ports.
    #[param(items(min = 1_024, max = 65_535))]
    pub ports: Vec<u16>,
}

fn main() {}
