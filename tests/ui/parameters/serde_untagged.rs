//! serde's `untagged`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[serde(untagged)]
pub enum Size {
    Small,
    Large,
}

pub fn used(_: Size) {}

fn main() {}
