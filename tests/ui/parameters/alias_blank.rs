//! An alias is an empty string.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(alias = "")]
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
