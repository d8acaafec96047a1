//! Constants as defaults and bounds have another type than the field: one error for each.

use osb_runtime::prelude::*;

const ON: &str = "true";
const NUMBER: u32 = 1;
const FRACTION: f64 = 1.5;
const HUGE: u128 = u128::MAX;
const OPTION: Option<u32> = Some(20);
const fn seconds() -> u32 {
    60
}

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = ON)]
    pub on: bool,
    #[param(default = NUMBER)]
    pub region: String,
    #[param(default = FRACTION)]
    pub keys: u32,
    #[param(default = seconds)]
    pub ttl: u32,
    #[param(default = HUGE)]
    pub files: i64,
    #[param(length(max = OPTION))]
    pub name: String,
    #[param(range(max = FRACTION))]
    pub share: f64,
    #[param(range(max = FRACTION))]
    pub size: u32,
    #[param(range(min = 1, max = ON), default = 60)]
    pub days: u32,
}

fn main() {}
