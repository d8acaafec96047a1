//! A default does not match the pattern.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(pattern = "^[a-z]+$", default = "A")]
    pub name: String,
}

pub fn used(new: New) -> String {
    new.name
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
