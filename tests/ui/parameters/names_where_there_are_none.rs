//! Names are spelt where there are none, and `open` is about properties where there are none.
#![deny(warnings)]

use osb_runtime::prelude::*;

// Mistake: Names are spelt where there are none.
/// The parameters of a new store.
#[parameters(rename_all_fields = "camelCase")]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub time_to_live: u32,
    /// Where it is.
    pub region: Region,
    /// The megabytes.
    pub size: Size,
}

/// A region.
#[parameters(rename_all_fields = "camelCase")]
pub enum Region {
    /// Frankfurt.
    EuCentral,
    /// Virginia.
    UsEast,
}

/// Megabytes.
#[parameters(rename_all = "camelCase")]
pub struct Size(#[param(rename = "size")] u32);

// Mistake: `open` is about unknown properties, which a string and a number don't have.
#[parameters(open)]
pub enum Speed {
    Slow,
    Fast,
}

#[parameters(open)]
pub struct Megabytes(#[param(range(min = 1))] u32);

fn main() {}
