//! A broker has a type parameter.

use osb_runtime::prelude::*;

/// The broker.
#[broker]
pub struct Broker<T> {
    kv: T,
}

fn main() {}
