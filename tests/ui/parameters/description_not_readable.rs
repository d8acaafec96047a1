//! The description of a type, a field or a variant is in another file.

use osb_runtime::prelude::*;

#[doc = include_str!("description_not_readable.rs")]
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[doc = include_str!("description_not_readable.rs")]
    pub ttl: u32,
    /// The treatment of old keys.
    pub eviction: Eviction,
}

/// The treatment of old keys.
#[parameters]
pub enum Eviction {
    #[doc = include_str!("description_not_readable.rs")]
    Never,
    #[doc = include_str!("description_not_readable.rs")]
    #[param(description = "The oldest key is removed.")]
    Oldest,
}

fn main() {}
