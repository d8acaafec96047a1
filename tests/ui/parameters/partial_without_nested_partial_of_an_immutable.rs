//! A nested type with a property that may not change has no partial type, so that an update would change it.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Place {
    #[param(immutable)]
    pub zone: String,
    pub rack: u8,
}

#[parameters(partial = Changes)]
pub struct New {
    pub ttl: u32,
    pub place: Place,
}

fn main() {}
