//! Enums have fields and no tag or a field of its name, variants of one name or without names, or a default.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: An enum has fields and no tag.
#[parameters]
pub enum Backup {
    Never,
    Bucket { url: String },
}

// Mistake: The tag of an enum is a field of a variant.
#[parameters(tag = "kind")]
pub enum Copy {
    Never,
    Bucket { kind: String },
}

// Mistake: Two variants have the same name on the wire.
#[parameters(rename_all = "lowercase")]
pub enum Speed {
    Fast,
    FAST,
}

// Mistake: A variant has fields without names.
#[parameters(tag = "kind")]
pub enum Mirror {
    Never,
    Bucket(String),
}

// Mistake: A default on a variant, as in serde and clap.
#[parameters]
pub enum Logs {
    #[param(default)]
    Stdout,
    File,
}

// Mistake: A field of a variant is `immutable`.
#[parameters(tag = "kind")]
pub enum Archive {
    None,
    Bucket {
        #[param(immutable)]
        zone: String,
        days: u8,
    },
}

// Mistake: A variant beside one with fields has a number: only one error.
#[parameters(tag = "kind")]
pub enum Numbered {
    Never = 3,
    Oldest { batch: u16 },
}

fn main() {}
