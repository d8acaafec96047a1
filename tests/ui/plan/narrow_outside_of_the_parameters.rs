//! Plans accept what their parameters refuse, exclude a default, or narrow what has no bounds or is not there, or a name twice.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Below, Wider, Default, Nothing, Alias, Unknown, Excluded, Multiples, Flag, Longer, Negative, Other, Above))]
pub struct Kv;

provisions!(Kv);

/// The parameters of a database.
#[parameters]
pub struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10, alias = "sessions")]
    pub connection_limit: u32,
    /// The size in MB.
    #[param(multiple_of = 64)]
    pub size: u32,
    /// The name.
    #[param(length(max = 32))]
    pub name: String,
    /// The owner.
    pub owner: String,
    /// The sizes of the disks in GB.
    pub disks: Vec<u32>,
    /// True if there is a copy.
    pub replicated: bool,
}

// Mistake: A plan has a range outside of that of its parameters.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "below", create = NewDatabase, narrow(connection_limit(max = 0)))]
pub struct Below;

// Mistake: A plan has a wider range than its parameters.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "wider", create = NewDatabase, narrow(connection_limit(max = 200)))]
pub struct Wider;

/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "above", create = NewDatabase, narrow(connection_limit(min = 5, max = 200)))]
pub struct Above;

// Mistake: A plan excludes the default of a parameter.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "default", create = NewDatabase, narrow(connection_limit(max = 5)))]
pub struct Default;

// Mistake: A plan leaves no value of a parameter.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "nothing", create = NewDatabase, narrow(connection_limit(min = 20, max = 19)))]
pub struct Nothing;

// Mistake: A plan narrows a parameter twice, by its name and by the one that it had in an earlier release.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "alias", create = NewDatabase, narrow(connection_limit(max = 20), sessions(min = 2)))]
pub struct Alias;

// Mistake: A plan narrows a parameter that does not exist.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "unknown", create = NewDatabase, narrow(connections(max = 20)))]
pub struct Unknown;

// Mistake: A plan excludes a length.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "excluded", create = NewDatabase, narrow(disks(exclusive_max = 5)))]
pub struct Excluded;

// Mistake: A plan accepts multiples of a list.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "multiples", create = NewDatabase, narrow(disks(multiple_of = 2)))]
pub struct Multiples;

// Mistake: A plan narrows a parameter without bounds.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "flag", create = NewDatabase, narrow(replicated(max = 1)))]
pub struct Flag;

// Mistake: A plan accepts a longer text than its parameters.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "longer", create = NewDatabase, narrow(name(max = 64)))]
pub struct Longer;

// Mistake: A plan has a negative length.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "negative", create = NewDatabase, narrow(owner(max = -1)))]
pub struct Negative;

// Mistake: A plan accepts other multiples than its parameters.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "other", create = NewDatabase, narrow(size(multiple_of = 96)))]
pub struct Other;
