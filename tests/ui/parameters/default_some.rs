//! The default of an `Option` is `Some(..)`.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = Some(60))]
    pub ttl: Option<u32>,
}

fn main() {}
