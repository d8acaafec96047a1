//! The minimum of a range is above its maximum.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(min = 10, max = 1))]
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
