//! A constraint accepts what a newtype rejects: a longer text.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Name(#[param(length(max = 32))] pub String);

#[parameters]
pub struct New {
    #[param(length(max = 64))]
    pub name: Name,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
