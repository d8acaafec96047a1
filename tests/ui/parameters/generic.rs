//! Parameters have a type parameter, or a bound that is a generic parameter.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: Parameters have a type parameter.
#[parameters]
#[derive(Debug)]
pub struct Options<T> {
    pub ttl: T,
}

// Mistake: A bound is a generic parameter.
#[parameters]
pub struct Sizes<const MAX: u32> {
    #[param(range(max = MAX))]
    pub size: u32,
}

pub fn used(new: Options<u32>) -> u32 {
    new.ttl
}

fn main() {}
