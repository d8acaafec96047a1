//! A list of values that aren't whole numbers, or that don't fit the type, or beside what says the same.

use osb_runtime::prelude::*;

const FIVE: u8 = 5;
const HALF: f64 = 0.5;

/// A number of replicas.
#[parameters]
pub struct Replicas(#[param(one_of(1, 3, 5))] u8);

/// Options.
#[parameters]
pub struct Options {
    /// Where the data is.
    #[param(one_of("eu", "us"))]
    pub region: String,

    #[param(one_of(1, FIVE))]
    pub constant: u8,

    #[param(one_of(1, Self::FIVE))]
    pub own: u8,

    #[param(one_of(0.5, 1))]
    pub fraction: f64,

    #[param(one_of(1..=3))]
    pub span: u8,

    #[param(one_of(1-3))]
    pub hyphen: u8,

    #[param(one_of(1, FIVE - 1))]
    pub expression: u8,

    #[param(one_of = 1)]
    pub value: u8,

    #[param(one_of([1, FIVE]))]
    pub brackets: u8,

    #[param(one_of = [1, FIVE])]
    pub list: u8,

    #[param(one_of(1; 3))]
    pub semicolon: u8,

    #[param(one_of(1 | 3))]
    pub alternatives: u8,

    #[param(one_of())]
    pub nothing: u8,

    #[param(range(min = 1), one_of(1, 3))]
    pub both: u8,
}

/// Other options.
#[parameters]
pub struct Others {
    #[param(one_of(1, 3))]
    pub text: String,

    #[param(one_of(1, 3))]
    pub fraction: f64,

    #[param(one_of(1, 256))]
    pub too_large: u8,

    #[param(one_of(1, FIVE, 5))]
    pub twice: u8,

    #[param(one_of(1, HALF))]
    pub half: u8,

    #[param(one_of(1, 3), default = 2)]
    pub default: u8,

    #[param(items(one_of(1, 3)), default = [1, 2])]
    pub element: Vec<u8>,

    #[param(one_of(1, 7))]
    pub newtype: Replicas,

    #[param(range(min = 6))]
    pub bounds: Replicas,
}

fn main() {}
