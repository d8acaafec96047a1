//! The default of an `Option` is `None`.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = None)]
    pub ttl: Option<u32>,
}

fn main() {}
