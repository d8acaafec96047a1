//! Parameters are a struct without fields, or with fields without names, or a function.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New;

#[parameters]
pub struct Pair(pub u32, pub u32);

#[parameters]
pub fn new() {}

pub fn used(_: New, pair: Pair) -> u32 {
    pair.0
}

fn main() {}
