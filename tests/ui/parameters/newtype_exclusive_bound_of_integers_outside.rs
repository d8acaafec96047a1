//! A constraint accepts what a newtype rejects: its exclusive bound.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Share(#[param(range(exclusive_min = 0))] pub u32);

#[parameters]
pub struct New {
    #[param(range(min = 0))]
    pub share: Share,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
