//! A field is a `Result`.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    pub ttl: Result<u8, String>,
}

fn main() {}
