//! An enum has a partial type.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(partial = SpeedChange)]
pub enum Speed {
    Slow,
    Fast,
}

pub fn used(_: Speed, _: SpeedChange) {}

fn main() {}
