//! The tag of an enum is a field of a variant.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(tag = "kind")]
pub enum Backup {
    Never,
    Bucket { kind: String },
}

pub fn used(_: Backup) {}

fn main() {}
