//! Two fields, or two variants, that both are compiled have one name on the wire.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: Two fields that both are compiled have one name on the wire.
#[parameters]
pub struct New {
    #[cfg(not(windows))]
    pub size: u8,
    #[cfg(not(target_os = "none"))]
    #[param(rename = "size")]
    pub large_size: u64,
    #[cfg(windows)]
    #[param(rename = "size")]
    pub path_size: u64,
}

// Mistake: Two variants that both are compiled have one name on the wire.
#[parameters]
pub enum Speed {
    Slow,
    #[cfg(not(windows))]
    #[param(rename = "Slow")]
    VerySlow,
}

// Mistake: Two fields of a variant that both are compiled have one name on the wire.
#[parameters(tag = "kind")]
pub enum Copies {
    On {
        #[cfg(not(windows))]
        count: u8,
        #[cfg(not(target_os = "none"))]
        #[param(rename = "count")]
        large_count: u64,
    },
}

fn main() {}
