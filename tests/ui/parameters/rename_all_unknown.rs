//! A `rename_all` rule that serde does not have.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "camel-case")]
pub struct New {
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
