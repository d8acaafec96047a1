//! A constant as a bound is no whole number.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(max = MAX))]
    pub ttl: u32,
}

const MAX: f64 = 1.5;

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
