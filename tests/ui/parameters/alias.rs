//! Aliases are empty, in parentheses, or a name that another property, the field itself, its enum or another alias has.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "camelCase", partial = Changes)]
pub struct New {
    #[param(alias = "")]
    pub blank: u32,
    #[param(alias("days"))]
    pub keep_days: u32,
    #[param(alias("hours", "retention"))]
    pub keep_hours: u32,
    #[param(alias = "timeToLive")]
    pub ttl: u32,
    pub time_to_live: u32,
    #[param(alias = "size")]
    pub size: u32,
    #[param(alias = "age", alias = "seconds")]
    pub first: u32,
    #[param(alias = "age")]
    pub second: u32,
}

#[parameters(tag = "kind")]
pub enum Eviction {
    Oldest {
        #[param(alias = "kind")]
        batch: u32,
    },
}

fn main() {}
