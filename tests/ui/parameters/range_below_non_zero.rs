//! The range of a `NonZero` begins at 0.
#![deny(warnings)]
use osb_runtime::prelude::*;
use std::num::NonZeroU32;

#[parameters]
pub struct New {
    #[param(range(min = 0))]
    pub size: NonZeroU32,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
