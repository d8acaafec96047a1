//! Five mistakes in one attribute make five errors.

use osb_runtime::prelude::*;

#[plan(id = "", name = 5, free = "no", metadata(bullets("")), rotatable)]
pub struct Free;

fn main() {}
