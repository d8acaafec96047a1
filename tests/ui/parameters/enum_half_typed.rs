//! The type of a field of a variant is missing, and a struct has the enum: only one error.

use osb_runtime::prelude::*;

#[parameters(tag = "kind", rename_all = "snake_case")]
pub enum Overflow {
    Reject,
    #[param(rename = "drop")]
    DropOldest { batch },
}

#[parameters(partial = Changes)]
pub struct New {
    pub overflow: Option<Overflow>,
}

pub fn used(new: &New) -> bool {
    matches!(new.overflow, Some(Overflow::Reject))
}

fn main() {}
