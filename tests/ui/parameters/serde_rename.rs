//! serde's `rename` instead of ours.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[serde(rename_all = "camelCase")]
#[derive(Debug)]
pub struct New {
    #[serde(rename = "TTL", alias = "ttk")]
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
