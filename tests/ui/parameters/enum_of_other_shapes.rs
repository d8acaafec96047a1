//! Enums have fields and no tag or a field of its name, variants of one name or without names, or a default.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub enum Backup {
    Never,
    Bucket { url: String },
}

#[parameters(tag = "kind")]
pub enum Copy {
    Never,
    Bucket { kind: String },
}

#[parameters(rename_all = "lowercase")]
pub enum Speed {
    Fast,
    FAST,
}

#[parameters(tag = "kind")]
pub enum Mirror {
    Never,
    Bucket(String),
}

#[parameters]
pub enum Logs {
    #[param(default)]
    Stdout,
    File,
}

#[parameters(tag = "kind")]
pub enum Archive {
    None,
    Bucket {
        #[param(immutable)]
        zone: String,
        days: u8,
    },
}

fn main() {}
