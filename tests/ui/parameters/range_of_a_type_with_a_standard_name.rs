//! A type of the author has the name of a standard one, but its values are smaller.
use osb_runtime::prelude::*;

#[allow(non_camel_case_types)]
type u32 = u8;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(min = 1, max = 60), default = 3)]
    pub ttl: u32,
    #[param(range(max = 1000))]
    pub keys: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl + new.keys
}

fn main() {}
