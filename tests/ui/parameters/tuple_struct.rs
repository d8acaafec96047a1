//! Parameters are a tuple struct.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New(pub u32, pub u32);

pub fn used(new: New) -> u32 {
    new.0
}

fn main() {}
