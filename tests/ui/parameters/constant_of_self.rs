//! A constant is named by `Self`.

use osb_runtime::prelude::*;

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
