//! Parameters with a mistake have a partial type that is used: only one error.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(partial = Changes)]
pub struct New {
    #[param(defualt = 3, default = 3)]
    pub ttl: u32,
    pub name: Option<String>,
}

pub fn changed(changes: Changes) -> Option<u32> {
    changes.ttl.value().copied()
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
