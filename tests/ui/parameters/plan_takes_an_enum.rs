//! A plan's parameters are an enum.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub enum Speed {
    Slow,
    Fast,
}

fn plan<T: Parameters>() {}

pub fn used() {
    plan::<Speed>();
}

fn main() {}
