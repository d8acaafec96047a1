//! Bounds are ranges of Rust, have no names, no equals signs or other signs, or a typo: one error for each field.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(range(1..=10))]
    pub ttl: u32,
    #[param(length(1..32))]
    pub name: String,
    #[param(range(1, 10))]
    pub keys: u32,
    #[param(range = -1..10)]
    pub shift: i32,
    #[param(range(min: 1, max: 10))]
    pub size: u32,
    #[param(range(min >= 1, max <= 5))]
    pub files: u32,
    #[param(range(min - 1))]
    pub pages: u32,
    #[param(range<min = 1)]
    pub replicas: u32,
    #[param(range(min 1, max 5))]
    pub zones: u32,
    #[param(range(mim = 1))]
    pub days: u32,
}

fn main() {}
