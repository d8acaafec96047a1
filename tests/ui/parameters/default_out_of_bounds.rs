//! Defaults are below the minimum, too large for their type, too long, or one item short.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: A default is below the minimum.
#[parameters]
pub struct Ttl {
    #[param(range(min = 1), default = 0)]
    pub ttl: u32,
}

// Mistake: A default does not fit into its type.
#[parameters]
pub struct Keys {
    #[param(default = 4_294_967_296)]
    pub keys: u32,
}

// Mistake: A default is longer than its string may be.
#[parameters]
pub struct Name {
    #[param(length(max = 2), default = "abc")]
    pub name: String,
}

// Mistake: The default has fewer items than the minimum, which is one.
#[parameters]
pub struct Nodes {
    #[param(length(min = 1), default = [])]
    pub nodes: Vec<String>,
}

fn main() {}
