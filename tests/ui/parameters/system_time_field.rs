//! A field is a `SystemTime`.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    pub ttl: Option<std::time::SystemTime>,
}

fn main() {}
