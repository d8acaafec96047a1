//! A field's type has no schema.
#![deny(warnings)]
use osb_runtime::prelude::*;

pub struct Limits {
    pub keys: u64,
}

#[parameters]
pub struct New {
    pub ttl: u32,
    pub limits: Limits,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
