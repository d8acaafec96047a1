//! A broker has itself as a service.

use osb_runtime::prelude::*;

#[broker]
pub struct Broker(Broker);

fn main() {}
