//! Constants as lengths and defaults are out of range: negative, above the maximum, or more than any length.
#![deny(warnings)]
use osb_runtime::prelude::*;

const MOST: i128 = (1 << 64) + 5;
const LEAST: i8 = -5;

// Mistake: A length is a constant that no length reaches.
#[parameters]
pub struct Names {
    #[param(items(length(max = MOST)))]
    pub names: Vec<String>,
}

// Mistake: A length is a constant that is negative.
#[parameters]
pub struct Name {
    #[param(length(min = LEAST))]
    pub name: String,
}

const TTL: u32 = 11;

// Mistake: A constant as a default is above the maximum.
#[parameters]
#[derive(Debug, Clone)]
pub struct Ttl {
    #[param(range(max = 10), default = TTL)]
    pub ttl: u32,
}

pub fn used(new: Ttl) -> u32 {
    new.ttl
}

const _: &[u8] = <Ttl as Parameters>::JSON;

fn main() {}
