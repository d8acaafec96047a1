//! A pattern on a boolean.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(pattern = "^a$")]
    pub on: bool,
}

pub fn used(new: New) -> bool {
    new.on
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
