//! `open` is about unknown properties, which a string and a number don't have.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(open)]
pub enum Speed {
    Slow,
    Fast,
}

#[parameters(open)]
pub struct Size(#[param(range(min = 1))] u32);

fn main() {}
