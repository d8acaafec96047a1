//! A nested type with a default has no partial type.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Limits {
    #[param(default = 5)]
    pub keys: u64,
}

#[parameters(partial = Changes)]
pub struct New {
    pub ttl: u32,
    pub limits: Limits,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
