//! The type of a field does not exist.

use osb_runtime::prelude::*;

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

fn main() {}
