//! A type of the author has the name of a standard one, but defaults and ranges are too large for it.

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

// Mistake: A type of the author has the name of a standard one, and is too small for a range and a default.
/// The parameters of a new store.
#[parameters]
#[derive(Debug, Clone)]
pub struct NewQueue {
    #[param(range(max = 1000), default = 300)]
    pub keys: u32,
}

pub fn keys_of(new: NewQueue) -> u32 {
    new.keys
}

fn main() {}
