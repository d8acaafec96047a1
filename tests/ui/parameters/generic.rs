//! Parameters have a type parameter.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug)]
pub struct Options<T> {
    pub ttl: T,
}

pub fn used(new: Options<u32>) -> u32 {
    new.ttl
}

fn main() {}
