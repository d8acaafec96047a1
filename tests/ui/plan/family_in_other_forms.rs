//! Families have an id, no name, or values that are no type.

use osb_runtime::prelude::*;

include!("../case.rs");

/// Databases.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "db", plans(Quoted, ByName, WithId, Nameless, Flag, ByValues))]
pub struct Databases;

provisions!(Databases);

/// The size.
#[parameters]
pub struct Size {
    /// Storage in GB.
    pub gigabytes: u32,
}

// Mistake: The type of a family's values is in quotes.
/// A family.
#[plan(name = "sized", family = "Size")]
pub struct Quoted;

// Mistake: The name of a family stands in place of the type of its values.
/// A family.
#[plan(name = "by-name", family = "sized")]
pub struct ByName;

// Mistake: A family has an id, as if it were one plan.
/// A family.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "other", family = Size)]
pub struct WithId;

// Mistake: A family has no name to which a deployment could refer.
/// A family.
#[plan(family = Size)]
pub struct Nameless;

// Mistake: A family is a flag.
/// A family.
#[plan(name = "flag", family)]
pub struct Flag;

/// A family.
#[plan(name = "valued", family, values = Size)]
pub struct ByValues;
