//! Parameters have a type parameter.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug)]
pub struct New<T> {
    pub ttl: T,
}

pub fn used(new: New<u32>) -> u32 {
    new.ttl
}

fn main() {}
