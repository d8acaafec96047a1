//! Bounds are outside of the type of the field, or of its elements, or leave no value: no number, or no multiple, is between them.
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

// Mistake: The minimum of a range is above its maximum.
#[parameters]
pub struct Expiry {
    #[param(range(min = 10, max = 1))]
    pub ttl: u32,
}

// Mistake: The length of a field with a default is empty.
#[parameters]
pub struct Labels {
    #[param(length(min = 20, max = 16), default = {})]
    pub labels: std::collections::BTreeMap<String, String>,
}

// Mistake: An exclusive bound leaves no whole number.
#[parameters]
pub struct Volume {
    #[param(range(exclusive_min = 3, exclusive_max = 4))]
    pub size: u32,
}

// Mistake: An exclusive bound leaves no number.
#[parameters]
pub struct Share {
    #[param(range(min = 0.5, exclusive_max = 0.5))]
    pub share: f64,
}

// Mistake: No whole number in the range is a multiple.
#[parameters]
pub struct Sheets {
    #[param(range(min = 1, max = 4), multiple_of = 5)]
    pub pages: u32,
}

// Mistake: No number in the range is a multiple.
#[parameters]
pub struct Load {
    #[param(range(exclusive_min = 0.5, exclusive_max = 0.75), multiple_of = 0.25)]
    pub load: f64,
}

fn main() {}
