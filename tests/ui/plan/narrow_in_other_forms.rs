//! Narrower bounds without names or at all, with an equals sign, in `range`, twice, or without parameters.

use osb_runtime::prelude::*;

/// The parameters of a database.
#[parameters]
pub struct NewDatabase {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10)]
    pub connection_limit: u32,
}

// Mistake: Narrower bounds have no names.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "range", create = NewDatabase, narrow(connection_limit(1..=2)))]
pub struct Range;

// Mistake: `narrow` has a value.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "value", create = NewDatabase, narrow = 20)]
pub struct Value;

// Mistake: A plan narrows nothing.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "empty", create = NewDatabase, narrow())]
pub struct Empty;

// Mistake: A plan narrows a parameter twice.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "twice", create = NewDatabase, narrow(connection_limit(max = 20), connection_limit(min = 2)))]
pub struct Twice;

// Mistake: A plan narrows a parameter twice, by the name of its field and by the one on the wire.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "spelt", create = NewDatabase, narrow(connection_limit(max = 20), connectionLimit(min = 2)))]
pub struct Spelt;

// Mistake: A property of `narrow` has a value.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "equals", create = NewDatabase, narrow(connection_limit = 20))]
pub struct Equals;

// Mistake: A plan writes `range` around the bounds.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "inrange", create = NewDatabase, narrow(connection_limit(range(max = 20))))]
pub struct InRange;

// Mistake: A plan narrows a parameter without saying how.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a08", name = "bare", create = NewDatabase, narrow(connection_limit()))]
pub struct Bare;

// Mistake: A plan without parameters narrows one.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a09", name = "without", narrow(connection_limit(max = 20)))]
pub struct Without;

// Mistake: A property of `narrow` is in quotes.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a10", name = "quoted", create = NewDatabase, narrow("connection_limit"(max = 20)))]
pub struct Quoted;

// Mistake: A property of `narrow` has a word in place of its bounds.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a11", name = "word", create = NewDatabase, narrow(connection_limit(small)))]
pub struct Word;

// Mistake: Narrower bounds are written like a list of values.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a12", name = "listed", create = NewDatabase, narrow(connection_limit(one_of(1-3))))]
pub struct Listed;

// Mistake: The properties of `narrow` are a list in brackets.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a13", name = "brackets", create = NewDatabase, narrow = [connection_limit(max = 20)])]
pub struct Brackets;

fn main() {}
