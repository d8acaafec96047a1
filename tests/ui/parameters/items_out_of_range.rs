//! A range for elements is wider than their type.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(items(range(max = 300)))]
    pub ports: Vec<u8>,
}

pub fn used(new: New) -> Vec<u8> {
    new.ports
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
