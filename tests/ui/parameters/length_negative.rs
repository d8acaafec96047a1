//! A length is negative.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(length(min = -1))]
    pub name: String,
}

pub fn used(new: New) -> String {
    new.name
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
