//! A constraint accepts what a newtype rejects: other multiples.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Pages(#[param(multiple_of = 64)] pub u32);

#[parameters]
pub struct New {
    #[param(multiple_of = 96)]
    pub size: Pages,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
