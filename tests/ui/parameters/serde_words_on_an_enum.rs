//! Several words of serde stand in one attribute.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Source {
    Empty,
    Backup { id: String },
}

fn main() {}
