//! Defaults of enums are no value of theirs, a number, or the name of a variant where there is a tag.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "lowercase")]
pub enum Speed {
    Slow,
    Fast,
}

#[parameters(tag = "kind", rename_all = "snake_case")]
pub enum Overflow {
    Reject,
    DropOldest { batch: u32 },
}

#[parameters]
pub struct New {
    // Mistake: A default is no value of the enum.
    #[param(default = "fsat")]
    pub speed: Speed,
    #[param(default = 1)]
    pub other_speed: Speed,
    // Mistake: The default of an enum with a tag is the name of a variant.
    #[param(default = "reject")]
    pub overflow: Overflow,
}

fn main() {}
