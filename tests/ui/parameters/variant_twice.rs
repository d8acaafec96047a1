//! Two variants have the same name on the wire.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "lowercase")]
pub enum Speed {
    Fast,
    FAST,
}

pub fn used(_: Speed) {}

fn main() {}
