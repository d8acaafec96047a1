//! A variant has fields without names.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(tag = "kind")]
pub enum Backup {
    Never,
    Bucket(String),
}

pub fn used(_: Backup) {}

fn main() {}
