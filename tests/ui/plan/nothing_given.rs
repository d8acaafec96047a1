//! A plan has no arguments: all missing ones are reported at once.

use osb_runtime::prelude::*;

#[plan]
pub struct Free;

fn main() {}
