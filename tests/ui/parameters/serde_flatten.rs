//! serde's `flatten`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    pub ttl: u32,
    #[serde(flatten)]
    pub more: More,
}

#[parameters]
pub struct More {
    pub size: u8,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
