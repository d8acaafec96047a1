//! `param` is in a `cfg_attr`.

use osb_runtime::prelude::*;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[cfg_attr(unix, param(range(min = 1)))]
    pub ttl: u32,
}

fn main() {}
