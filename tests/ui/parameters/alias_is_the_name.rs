//! A field has its own name as an alias.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "camelCase")]
pub struct New {
    #[param(alias = "ttl")]
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
