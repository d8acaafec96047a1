//! A type of the author has the name of a standard one, but a default and a range are too large for it.

use osb_runtime::prelude::*;

#[allow(non_camel_case_types)]
type u32 = u8;

// Mistake: A type of the author has the name of a standard one, but the default is too large for it.
/// The parameters of a new store.
#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(min = 1, max = 60))]
    pub ttl: u32,
    #[param(default = 300)]
    pub keys: u32,
}

// Mistake: A type of the author has the name of a standard one, but its values are smaller.
/// The parameters of a new cache.
#[parameters]
pub struct NewCache {
    #[param(range(min = 1, max = 60), default = 3)]
    pub ttl: u32,
    #[param(range(max = 1000))]
    pub files: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl + new.keys
}

fn main() {}
