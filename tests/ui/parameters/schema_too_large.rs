//! A schema is larger than a platform accepts, or nearly so.
#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../large.rs");

// Mistake: A schema is larger than a platform accepts.
/// Many parts.
#[parameters]
pub struct New {
    pub a: Hundred,
    pub b: Ten,
    pub c: Ten,
    pub d: Ten,
    pub e: Ten,
    pub f: Ten,
}

// Mistake: Warning: a schema is nearly as large as a platform accepts.
/// Many parts.
#[parameters]
pub struct Nearly {
    pub a: Hundred,
    pub b: Ten,
    pub c: Ten,
    pub d: Ten,
    pub e: Ten,
}

fn main() {}
