//! Aliases are empty, in parentheses, or a name that another property, the field itself, its enum or another alias has.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "camelCase", partial = Changes)]
pub struct New {
    // Mistake: An alias is an empty string.
    #[param(alias = "")]
    pub blank: u32,
    // Mistake: An alias stands in parentheses.
    #[param(alias("days"))]
    pub keep_days: u32,
    // Mistake: Aliases are given as a list.
    #[param(alias("hours", "retention"))]
    pub keep_hours: u32,
    // Mistake: A field has the name of another one as an alias.
    #[param(alias = "timeToLive")]
    pub ttl: u32,
    pub time_to_live: u32,
    // Mistake: A field has its own name as an alias.
    #[param(alias = "size")]
    pub size: u32,
    #[param(alias = "age", alias = "seconds")]
    pub first: u32,
    // Mistake: Two fields have the same alias.
    #[param(alias = "age")]
    pub second: u32,
}

// Mistake: A field has the tag of its enum as an alias.
#[parameters(tag = "kind")]
pub enum Eviction {
    Oldest {
        #[param(alias = "kind")]
        batch: u32,
    },
}

fn main() {}
