//! Defaults have another type than their fields, or one of their elements has.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: A default has another type than its field.
#[parameters]
pub struct New {
    #[param(default = "5")]
    pub ttl: u32,
    #[param(default = "10 MB")]
    pub size: u32,
    #[param(default = "default_count")]
    pub count: u32,
}

// Mistake: A default has an element that the list may not have.
#[parameters]
pub struct Names {
    #[param(default = ["a", 1])]
    pub names: Vec<String>,
}

// Mistake: The default of a list is one of its elements.
#[parameters]
pub struct Regions {
    #[param(default = "eu")]
    pub regions: Vec<String>,
}

fn main() {}
