//! A default has another type than its field.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(default = "5")]
    pub ttl: u32,
    #[param(default = "10 MB")]
    pub size: u32,
    #[param(default = "default_count")]
    pub count: u32,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
