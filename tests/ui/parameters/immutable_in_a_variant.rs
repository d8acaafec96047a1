//! A field of a variant is `immutable`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(tag = "kind")]
pub enum Backup {
    None,
    Bucket {
        #[param(immutable)]
        zone: String,
        days: u8,
    },
}

fn main() {}
