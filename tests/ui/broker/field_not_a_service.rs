//! A field of the broker is not a service.

use osb_runtime::prelude::*;

/// The broker.
#[broker]
pub struct Broker {
    started: std::time::Instant,
}

fn main() {}
