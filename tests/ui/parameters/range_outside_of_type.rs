//! A range goes beyond its type.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(max = 300))]
    pub ttl: u8,
}

pub fn used(new: New) -> u8 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
