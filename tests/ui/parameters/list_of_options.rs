//! A list whose elements may be missing.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    pub ttl: u32,
    pub ports: Vec<Option<u16>>,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
