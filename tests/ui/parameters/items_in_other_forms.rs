//! The constraints of elements have no name, are a value, or lack `range` around them.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: The constraint of elements has no name, or the list is a value.
    #[param(items("email"))]
    pub alerts: Vec<String>,
    #[param(items = "^[a-z]+$")]
    pub hosts: Vec<String>,
    // Mistake: The bounds of elements are not in `range`.
    #[param(items(min = 1_024, max = 65_535))]
    pub ports: Vec<u16>,
}

fn main() {}
