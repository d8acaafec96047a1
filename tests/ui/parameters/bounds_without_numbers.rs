//! Bounds are missing, calculated, in quotes, in words or negative, or those of a `char`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: A range without bounds.
    #[param(range())]
    pub ttl: u32,
    // Mistake: A bound is calculated.
    #[param(range(max = 60 * 60))]
    pub keys: u32,
    // Mistake: A bound is in quotes, or has a unit.
    #[param(length(max = "30"))]
    pub owner: String,
    #[param(range(max = "1TB"))]
    pub size: u32,
    // Mistake: Numbers have units.
    #[param(range(max = 1d))]
    pub cool_down: u32,
    #[param(default = 60s)]
    pub timeout: u32,
    #[param(one_of(1h, 24h))]
    pub interval: u32,
    #[param(example = 1.5GB)]
    pub space: f64,
    // Mistake: A length is negative.
    #[param(length(min = -1))]
    pub host: String,
    // Mistake: A `char` has a length.
    #[param(length(max = 1))]
    pub separator: char,
    #[param(length(max = 1))]
    pub quote: Option<char>,
    // Mistake: A length is a fraction.
    #[param(length(max = 1.5))]
    pub title: String,
    // Mistake: A length has no bounds, or one in words.
    #[param(length())]
    pub name: String,
    #[param(length(max = "ten"))]
    pub region: String,
    #[param(length(max = "10"))]
    pub zone: String,
}

fn main() {}
