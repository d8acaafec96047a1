//! A constant as a default is above the maximum.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(max = 10), default = TTL)]
    pub ttl: u32,
}

const TTL: u32 = 11;

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
