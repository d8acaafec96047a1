//! Parameters are a function.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub fn new() {}

fn main() {}
