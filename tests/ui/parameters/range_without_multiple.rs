//! No whole number in the range is a multiple.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(range(min = 1, max = 4), multiple_of = 5)]
    pub size: u32,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
