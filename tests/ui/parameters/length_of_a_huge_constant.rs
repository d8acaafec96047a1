//! A length is a constant that no length reaches.
#![deny(warnings)]
use osb_runtime::prelude::*;

const MOST: i128 = (1 << 64) + 5;

#[parameters]
pub struct New {
    #[param(items(length(max = MOST)))]
    pub names: Vec<String>,
}

fn main() {}
