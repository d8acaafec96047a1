//! A schema is larger than a platform accepts, also as Cloud Foundry counts, or nearly so.
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

// Mistake: A schema is larger than Cloud Foundry accepts, which counts `<` as six characters.
/// A part with a description of signs that Cloud Foundry escapes before it counts.
#[parameters]
pub struct Escaped {
    /// <&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&>
    pub part: bool,
}

ten!(TenEscaped of Escaped);

/// Fifty of them.
#[parameters]
pub struct Fifty {
    pub a: TenEscaped,
    pub b: TenEscaped,
    pub c: TenEscaped,
    pub d: TenEscaped,
    pub e: TenEscaped,
}

fn main() {}
