//! An exclusive bound leaves no number.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(range(min = 0.5, exclusive_max = 0.5))]
    pub share: f64,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
