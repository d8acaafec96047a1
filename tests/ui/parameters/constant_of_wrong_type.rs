//! Constants as defaults and bounds have another type than the field, or are named by `Self`: one error for each.

use osb_runtime::prelude::*;

const ON: &str = "true";
const NUMBER: u32 = 1;
const FRACTION: f64 = 1.5;
const HUGE: u128 = u128::MAX;
const OPTION: Option<u32> = Some(20);
const fn seconds() -> u32 {
    60
}

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    // Mistake: The default of a `bool` is a constant of another type.
    #[param(default = ON)]
    pub on: bool,
    // Mistake: The default of a `String` is a constant of another type.
    #[param(default = NUMBER)]
    pub region: String,
    // Mistake: The default of a whole number is a constant with a fraction.
    #[param(default = FRACTION)]
    pub keys: u32,
    // Mistake: The default is a function.
    #[param(default = seconds)]
    pub ttl: u32,
    // Mistake: A default is a constant of a type that parameters don't have.
    #[param(default = HUGE)]
    pub files: i64,
    // Mistake: A length is a constant of the wrong type.
    #[param(length(max = OPTION))]
    pub name: String,
    // Mistake: A constant as a bound is no whole number.
    #[param(range(max = FRACTION))]
    pub share: f64,
    // Mistake: A bound is a constant with decimals.
    #[param(range(max = FRACTION))]
    pub size: u32,
    // Mistake: A bound is a constant of the wrong type, and the default is fine: only one error.
    #[param(range(min = 1, max = ON), default = 60)]
    pub days: u32,
}

// Mistake: A constant is named by `Self`.
/// Options.
#[parameters]
pub struct Options {
    /// Seconds.
    #[param(default = Self::TTL)]
    pub ttl: u32,
    /// Copies.
    #[param(range(max = Self::COPIES))]
    pub copies: u32,
}

impl Options {
    pub const TTL: u32 = 60;
    pub const COPIES: u32 = 9;
}

fn main() {}
