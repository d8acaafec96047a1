//! A field is a tuple.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    pub ttl: u32,
    pub range: (u8, u8),
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
