//! Names are spelt where there are none, or have white space, and `open` is about properties where there are none.
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

// Mistake: Names on the wire have white space around them, or characters that users can't see.
/// The parameters of a new store.
#[parameters]
pub struct Spaced {
    /// Seconds after which a key expires.
    #[param(rename = " ttl")]
    pub ttl: u32,
    /// Prefix of the keys.
    #[param(rename = "pre\u{200B}fix")]
    pub prefix: String,
}

/// A region.
#[parameters]
pub enum Place {
    /// Frankfurt.
    #[param(rename = "eu ")]
    Eu,
}

/// Treatment of old keys.
#[parameters(tag = "kind\n")]
pub enum Eviction {
    /// Keeps them.
    Never {},
}

fn main() {}
