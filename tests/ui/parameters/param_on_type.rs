//! `#[param]` is on the type.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[param(open)]
pub struct New {
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
