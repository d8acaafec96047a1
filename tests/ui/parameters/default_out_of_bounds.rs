//! Defaults are below the minimum, too large for their type, too long, or one item short.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Ttl {
    #[param(range(min = 1), default = 0)]
    pub ttl: u32,
}

#[parameters]
pub struct Keys {
    #[param(default = 4_294_967_296)]
    pub keys: u32,
}

#[parameters]
pub struct Name {
    #[param(length(max = 2), default = "abc")]
    pub name: String,
}

#[parameters]
pub struct Nodes {
    #[param(length(min = 1), default = [])]
    pub nodes: Vec<String>,
}

fn main() {}
