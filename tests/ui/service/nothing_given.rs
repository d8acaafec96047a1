//! A service says nothing of itself: all that is missing is reported at once.

use osb_runtime::prelude::*;

#[service]
pub struct Kv;

fn main() {}
