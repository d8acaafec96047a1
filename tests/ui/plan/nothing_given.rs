//! A plan says nothing of itself: all that is missing is reported at once.

use osb_runtime::prelude::*;

#[plan]
pub struct Free;

fn main() {}
