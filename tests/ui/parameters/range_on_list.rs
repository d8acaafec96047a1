//! `range` on a list.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, Clone)]
pub struct New {
    #[param(range(max = 5))]
    pub ports: Vec<u8>,
}

pub fn used(new: New) -> Vec<u8> {
    new.ports
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
