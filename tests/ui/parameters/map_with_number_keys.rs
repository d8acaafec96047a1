//! A map whose keys are numbers.
#![deny(warnings)]
use osb_runtime::prelude::*;

use std::collections::BTreeMap;

#[parameters]
pub struct New {
    pub ttl: u32,
    pub ports: BTreeMap<u16, String>,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
