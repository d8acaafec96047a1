//! A field has the name of another one as an alias.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "camelCase")]
pub struct New {
    #[param(alias = "timeToLive")]
    pub ttl: u32,
    pub time_to_live: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
