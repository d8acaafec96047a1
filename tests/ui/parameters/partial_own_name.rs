//! The partial type has the name of the type itself.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = New)]
#[derive(Debug)]
pub struct New {
    #[param(default = 60)]
    pub ttl: u32,
}

fn main() {}
