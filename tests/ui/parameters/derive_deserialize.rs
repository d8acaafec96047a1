//! `Deserialize` is derived beside the attribute.
#![deny(warnings)]
use osb_runtime::prelude::*;

use serde::Deserialize;

#[parameters]
#[derive(Debug, Deserialize)]
pub struct New {
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
