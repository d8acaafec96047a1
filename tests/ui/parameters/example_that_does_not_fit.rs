//! Examples are out of range, not in their format, or several in a list.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: An example is out of range.
#[parameters]
pub struct Ttl {
    #[param(range(max = 10), example = 11)]
    pub ttl: u32,
}

// Mistake: An example is not in the format.
#[parameters]
pub struct Until {
    #[param(format = "date-time", example = "2030-02-30T12:00:00Z")]
    pub until: Option<String>,
}

// Mistake: Several examples of a number are written as a list.
#[parameters]
pub struct Size {
    #[param(example = [1, 2])]
    pub size: u32,
}

fn main() {}
