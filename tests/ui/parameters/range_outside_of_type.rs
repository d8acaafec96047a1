//! Bounds are outside of the type of the field, or of its elements.
#![deny(warnings)]
use osb_runtime::prelude::*;
use std::num::NonZeroU32;

// Mistake: A range goes beyond its type.
#[parameters]
pub struct Ttl {
    #[param(range(max = 300))]
    pub ttl: u8,
}

// Mistake: The minimum of an unsigned number is negative.
#[parameters]
pub struct Keys {
    #[param(range(min = -1))]
    pub keys: u32,
}

// Mistake: The range of a `NonZero` begins at 0.
#[parameters]
pub struct Size {
    #[param(range(min = 0))]
    pub size: NonZeroU32,
}

// Mistake: A range for elements is wider than their type.
#[parameters]
pub struct Ports {
    #[param(items(range(max = 300)))]
    pub ports: Vec<u8>,
}

// Mistake: A bound of a whole number has a fraction.
#[parameters]
pub struct Files {
    #[param(range(min = 0.5))]
    pub files: u32,
}

// Mistake: A multiple of zero.
#[parameters]
pub struct Pages {
    #[param(multiple_of = 0)]
    pub pages: u32,
}

fn main() {}
