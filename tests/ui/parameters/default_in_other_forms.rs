//! Defaults are in parentheses, `None` or `Some(..)`, have no value or half of one, or keys without quotes.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(default(10))]
    pub size_gb: u32,
    #[param(default = None)]
    pub absent: Option<u32>,
    #[param(default = Some(60))]
    pub present: Option<u32>,
    #[param(default)]
    pub ttl: u32,
    #[param(range(min = 1), default = )]
    pub keys: u32,
    #[param(default = { color: "blue" })]
    pub labels: std::collections::BTreeMap<String, String>,
}

fn main() {}
