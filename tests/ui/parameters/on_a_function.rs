#![deny(warnings)]

use osb_runtime::prelude::*;

#[parameters]
pub fn new() {}

fn main() {}
