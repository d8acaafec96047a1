//! A type of the author has the name of a standard one, and is too small for a range and a default.

use osb_runtime::prelude::*;

#[allow(non_camel_case_types, reason = "a standard type has the name")]
type u32 = u8;

/// The parameters of a new store.
#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(max = 1000), default = 300)]
    pub keys: u32,
}

pub fn used(new: New) -> u32 {
    new.keys
}

fn main() {}
