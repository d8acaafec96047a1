//! A default has an element that the list may not have.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(default = ["a", 1])]
    pub names: Vec<String>,
}

pub fn used(new: New) -> Vec<String> {
    new.names
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
