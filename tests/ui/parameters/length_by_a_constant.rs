//! The length is a constant that is negative, or that no length reaches.
#![deny(warnings)]
use osb_runtime::prelude::*;

const MOST: i128 = (1 << 64) + 5;
const LEAST: i8 = -5;

// Mistake: A length is a constant that no length reaches.
#[parameters]
pub struct Names {
    #[param(items(length(max = MOST)))]
    pub names: Vec<String>,
}

// Mistake: A length is a constant that is negative.
#[parameters]
pub struct Name {
    #[param(length(min = LEAST))]
    pub name: String,
}

fn main() {}
