//! A broker offers nothing.

use osb_runtime::prelude::*;

/// The broker.
#[broker]
pub struct Broker;

fn main() {}
