//! The warning of a schema that is nearly too large is silenced as any other.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../large.rs");

/// Many parts.
#[parameters]
#[allow(deprecated)]
pub struct New {
    pub a: Hundred,
    pub b: Ten,
    pub c: Ten,
    pub d: Ten,
    pub e: Ten,
}

pub(super) fn main() {}
