//! Bounds are missing, calculated, in quotes, in words or negative, or those of a `char`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(range())]
    pub ttl: u32,
    #[param(range(max = 60 * 60))]
    pub keys: u32,
    #[param(length(max = "30"))]
    pub owner: String,
    #[param(range(max = "1TB"))]
    pub size: u32,
    #[param(length(min = -1))]
    pub host: String,
    #[param(length(max = 1))]
    pub separator: char,
    #[param(length())]
    pub name: String,
    #[param(length(max = "ten"))]
    pub region: String,
    #[param(length(max = "10"))]
    pub zone: String,
}

fn main() {}
