//! Bounds leave no value: the minimum is above the maximum, or there is no number, or no multiple, between them.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: The minimum of a range is above its maximum.
#[parameters]
pub struct Ttl {
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
pub struct Size {
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
pub struct Pages {
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
