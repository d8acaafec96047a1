//! A field has the tag of its enum as an alias.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    pub ttl: u32,
    pub eviction: Eviction,
}

#[parameters(tag = "kind")]
pub enum Eviction {
    Oldest {
        #[param(alias = "kind")]
        batch: u32,
    },
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
