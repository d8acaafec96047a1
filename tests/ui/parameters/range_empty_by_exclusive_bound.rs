//! An exclusive bound leaves no whole number.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(range(exclusive_min = 3, exclusive_max = 4))]
    pub size: u32,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
