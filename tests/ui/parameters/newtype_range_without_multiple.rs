//! No number in the range is a multiple of that of a newtype.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Pages(#[param(multiple_of = 64)] pub u32);

#[parameters]
pub struct New {
    #[param(range(min = 65, max = 127))]
    pub size: Pages,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
