//! `required` is not an argument.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(required)]
    pub ttl: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
