//! Parameters are a struct without fields.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New;

pub fn used(_: New) {}

fn main() {}
