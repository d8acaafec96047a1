//! An enum has fields and no tag.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub enum Backup {
    Never,
    Bucket { url: String },
}

pub fn used(_: Backup) {}

fn main() {}
