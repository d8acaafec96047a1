//! Two fields have the same name on the wire.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    pub ttl: u32,
    #[param(rename = "ttl")]
    pub time_to_live: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
