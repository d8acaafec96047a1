//! The default of an enum with a tag is the name of a variant.

use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(default = "reject")]
    pub overflow: Overflow,
}

#[parameters(tag = "kind", rename_all = "snake_case")]
pub enum Overflow {
    Reject,
    DropOldest { batch: u32 },
}

fn main() {}
