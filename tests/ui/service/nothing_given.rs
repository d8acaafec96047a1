//! A service has no arguments: all missing ones are reported at once (CAT-10, CAT-11, CAT-12, CAT-22).

use osb_runtime::prelude::*;

#[service]
pub struct Kv;

fn main() {}
