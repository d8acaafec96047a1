//! Names on the wire have white space around them, or characters that users can't see.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(rename = " ttl")]
    pub ttl: u32,
    /// Prefix of the keys.
    #[param(rename = "pre\u{200B}fix")]
    pub prefix: String,
}

/// A region.
#[parameters]
pub enum Region {
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
