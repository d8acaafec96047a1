//! A broker has no services.

use osb_runtime::prelude::*;

/// The broker.
#[broker]
pub struct Broker;

fn main() {}
