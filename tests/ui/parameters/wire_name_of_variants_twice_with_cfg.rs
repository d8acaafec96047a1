//! Two variants that both are compiled have one name on the wire.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub enum Speed {
    Slow,
    #[cfg(not(windows))]
    #[param(rename = "Slow")]
    VerySlow,
}

fn main() {}
