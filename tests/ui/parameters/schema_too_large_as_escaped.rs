//! A schema is larger than Cloud Foundry accepts, which counts `<` as six characters.
#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../large.rs");

/// A part with a description of signs that Cloud Foundry escapes before it counts.
#[parameters]
pub struct Escaped {
    /// <&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&>
    pub part: bool,
}

ten!(TenEscaped of Escaped);

/// Fifty of them.
#[parameters]
pub struct New {
    pub a: TenEscaped,
    pub b: TenEscaped,
    pub c: TenEscaped,
    pub d: TenEscaped,
    pub e: TenEscaped,
}

fn main() {}
