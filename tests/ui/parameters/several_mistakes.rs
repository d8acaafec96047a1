//! Several mistakes in one type: all are reported.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_al = "camelCase")]
pub struct New {
    #[param(range(min = 1, max = 0), defualt = 3)]
    pub ttl: u32,
    #[param(length(max = "5"), secert)]
    pub name: String,
}

pub fn used(new: New) -> u32 {
    new.ttl
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
