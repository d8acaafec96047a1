//! Two fields have the same alias.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(partial = Changes)]
pub struct New {
    #[param(alias = "age", alias = "seconds")]
    pub ttl: u32,
    #[param(alias = "age")]
    pub time_to_live: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
