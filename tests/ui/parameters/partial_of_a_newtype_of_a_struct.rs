//! A field of a type with a partial type is a newtype of a struct that has one too.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(partial = LimitChanges)]
pub struct Limits {
    #[param(default = 5)]
    pub keys: u64,
}

#[parameters]
pub struct Bounds(Limits);

#[parameters(partial = Changes)]
pub struct New {
    pub ttl: u32,
    pub bounds: Bounds,
}

fn main() {}
