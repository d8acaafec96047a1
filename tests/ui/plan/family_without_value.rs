//! A family is a flag.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// Databases.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "db", plans(BySize, ByValues))]
pub struct Databases;

provisions!(Databases);

/// A database of a size.
#[plan(name = "sized", family)]
pub struct BySize;

/// A database of other values.
#[plan(name = "valued", family, values = Size)]
pub struct ByValues;

fn main() {}
