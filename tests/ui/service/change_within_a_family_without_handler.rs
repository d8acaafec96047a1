//! A change between the plans of a family has no handler.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// Databases.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "db",
    plans(BySize),
    changes(BySize => BySize),
)]
pub struct Databases;

provisions!(Databases);

/// A database of a size.
#[plan(name = "sized", family = Size)]
pub struct BySize;

/// The size of a database.
#[parameters]
pub struct Size {
    /// Storage in GB.
    pub gigabytes: u32,
}

fn main() {}
