//! A field is a path of this machine.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    pub ttl: std::path::PathBuf,
}

fn main() {}
