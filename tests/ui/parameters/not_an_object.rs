//! Parameters are a struct without fields, or with fields without names, or a function, or, in a plan, an enum.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: Parameters are a struct without fields.
#[parameters]
pub struct New;

// Mistake: Parameters are a tuple struct.
#[parameters]
pub struct Pair(pub u32, pub u32);

// Mistake: Parameters are a function.
#[parameters]
pub fn new() {}

pub fn used(_: New, pair: Pair) -> u32 {
    pair.0
}

// Mistake: A plan's parameters are an enum.
#[parameters]
pub enum Speed {
    Slow,
    Fast,
}

fn plan<T: Parameters>() {}

pub fn speed() {
    plan::<Speed>();
}

fn main() {}
