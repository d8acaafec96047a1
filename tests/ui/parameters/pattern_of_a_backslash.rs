//! A backslash that is escaped in a raw string too.

#![deny(deprecated)]

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The PIN.
    #[param(pattern = r"^\\d{4}$")]
    pub pin: String,

    /// A path on Windows.
    #[param(pattern = r"^[A-Z]:\\")]
    pub path: String,
}

fn main() {}
