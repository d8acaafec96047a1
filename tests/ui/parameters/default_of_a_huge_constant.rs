//! A default is a constant of a type that parameters don't have.
#![deny(warnings)]
use osb_runtime::prelude::*;

const KEYS: u128 = u128::MAX;

#[parameters]
pub struct New {
    #[param(default = KEYS)]
    pub keys: i64,
}

fn main() {}
