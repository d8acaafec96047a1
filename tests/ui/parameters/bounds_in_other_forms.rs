//! Bounds are ranges of Rust, have no names, numbers or equals signs, or a typo, or are calculated, in words or negative: one error for each field.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: The bounds are a range of Rust.
    #[param(range(1..=10))]
    pub ttl: u32,
    // Mistake: One bound is a range of Rust.
    #[param(range(min = 1..=10))]
    pub weeks: u32,
    // Mistake: The length is a range of Rust.
    #[param(length(1..32))]
    pub name: String,
    // Mistake: The bounds have no names.
    #[param(range(1, 10))]
    pub keys: u32,
    // Mistake: There are more bounds than sides: only one error.
    #[param(range(1, 5, 10))]
    pub parts: u32,
    // Mistake: The bounds have a hyphen between them.
    #[param(range(1-10))]
    pub rows: u32,
    // Mistake: The range is a value.
    #[param(range = -1..10)]
    pub shift: i32,
    // Mistake: The bounds have colons.
    #[param(range(min: 1, max: 10))]
    pub size: u32,
    // Mistake: The bounds of a range are comparisons: only one error.
    #[param(range(min >= 1, max <= 5))]
    pub files: u32,
    // Mistake: Bounds are neither equations nor comparisons.
    #[param(range(min - 1))]
    pub pages: u32,
    #[param(range<min = 1)]
    pub replicas: u32,
    // Mistake: The bounds of a range have no equals signs: only one error.
    #[param(range(min 1, max 5))]
    pub zones: u32,
    // Mistake: Bounds have the words of other crates: only one error for two bounds.
    #[param(range(from = 1, to = 5))]
    pub slots: u32,
    #[param(range(gt = 0, lt = 5))]
    pub nodes: u32,
    #[param(range(min_exclusive = 0, max_exclusive = 5))]
    pub areas: u32,
    #[param(range(minimum = 1, maximum = 5))]
    pub racks: u32,
    #[param(range(min = 10, step = 10))]
    pub steps: u32,
    #[param(range(min = 10, message = "too small"))]
    pub users: u32,
    #[param(range(min(1)))]
    pub lines: u32,
    #[param(range(max()))]
    pub sheets: u32,
    // Mistake: A bound has a unit.
    #[param(range(max = 5%))]
    pub share: u32,
    // Mistake: Both bounds of a side are given.
    #[param(range(min = 1, exclusive_min = 0))]
    pub hours: u32,
    // Mistake: A bound has a typo.
    #[param(range(mim = 1))]
    pub days: u32,
}

#[parameters]
pub struct Numberless {
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
