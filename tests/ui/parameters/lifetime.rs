//! Parameters have a lifetime.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New<'a> {
    pub name: &'a str,
}

pub fn used(new: New<'_>) -> usize {
    new.name.len()
}

fn main() {}
