//! Two families have the same name.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A database of a size that the operator offers.
#[plan(family = Size, name = "sized")]
pub struct Small;

/// A large database.
#[plan(family = Size, name = "sized")]
pub struct Large;

/// The size of a database.
#[parameters]
pub struct Size {
    /// Storage in GB.
    pub gigabytes: u32,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Small, Large))]
pub struct Kv;

provisions!(Kv);

fn main() {}
