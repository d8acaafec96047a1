//! An enum without a tag has fields.

use osb_runtime::prelude::*;

/// Where copies are.
#[parameters(untagged)]
pub enum Copies {
    /// None.
    Off {},
    /// In another region.
    On {
        /// The region.
        region: String,
    },
}

fn main() {}
