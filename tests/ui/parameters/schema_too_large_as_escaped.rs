//! A schema is larger than Cloud Foundry accepts, which counts `<` as six characters.
#![deny(warnings)]
use osb_runtime::prelude::*;

/// A part with a description of signs that Cloud Foundry escapes before it counts.
#[parameters]
pub struct Part {
    /// <&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&><&>
    pub part: bool,
}

/// Ten parts.
#[parameters]
pub struct Ten {
    pub f0: Part,
    pub f1: Part,
    pub f2: Part,
    pub f3: Part,
    pub f4: Part,
    pub f5: Part,
    pub f6: Part,
    pub f7: Part,
    pub f8: Part,
    pub f9: Part,
}

/// Fifty of them.
#[parameters]
pub struct New {
    pub a: Ten,
    pub b: Ten,
    pub c: Ten,
    pub d: Ten,
    pub e: Ten,
}

fn main() {}
