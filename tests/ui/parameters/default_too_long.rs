//! A default is longer than its string may be.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(length(max = 2), default = "abc")]
    pub name: String,
}

pub fn used(new: New) -> String {
    new.name
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
