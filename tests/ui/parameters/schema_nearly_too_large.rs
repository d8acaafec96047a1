//! Warning: a schema is nearly as large as a platform accepts.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../large.rs");

/// Many parts.
#[parameters]
pub struct New {
    pub a: Hundred,
    pub b: Ten,
    pub c: Ten,
    pub d: Ten,
    pub e: Ten,
}

fn main() {}
