//! The type inside a newtype is not under `#[parameters]`.

use osb_runtime::prelude::*;

/// A region.
pub struct Region;

/// The region of a copy.
#[parameters]
pub struct CopyRegion(pub Region);

fn main() {}
