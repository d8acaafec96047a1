//! A default on a variant, as in serde and clap.

use osb_runtime::prelude::*;

/// Where logs go.
#[parameters]
pub enum Logs {
    #[param(default)]
    Stdout,
    File,
}

fn main() {}
