//! A range on an alias of a string.
#![deny(warnings)]
use osb_runtime::prelude::*;

pub type Name = String;

#[parameters]
pub struct New {
    #[param(range(min = 1))]
    pub name: Name,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
