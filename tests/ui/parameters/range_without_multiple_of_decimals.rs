//! No number in the range is a multiple.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(range(exclusive_min = 0.5, exclusive_max = 0.75), multiple_of = 0.25)]
    pub share: f64,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
