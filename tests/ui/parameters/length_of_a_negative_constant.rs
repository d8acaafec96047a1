//! A length is a constant that is negative.
#![deny(warnings)]
use osb_runtime::prelude::*;

const LEAST: i8 = -5;

#[parameters]
pub struct New {
    #[param(length(min = LEAST))]
    pub name: String,
}

fn main() {}
