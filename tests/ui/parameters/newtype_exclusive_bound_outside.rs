//! A constraint accepts what a newtype rejects: its exclusive bound.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Share(#[param(range(min = 0.0, exclusive_max = 1.0))] pub f64);

#[parameters]
pub struct New {
    #[param(range(max = 1.0))]
    pub share: Share,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
