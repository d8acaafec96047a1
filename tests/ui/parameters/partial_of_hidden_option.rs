//! An alias of an `Option` in a type with `partial`.
#![deny(warnings)]
use osb_runtime::prelude::*;

pub type Maybe = Option<u32>;

#[parameters(partial = Changes)]
pub struct New {
    pub ttl: u32,
    pub size: Maybe,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
