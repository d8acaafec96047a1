//! Narrower bounds without names, values or at all, with an equals sign, in `range`, twice, without parameters, or of what can't be narrowed.

use osb_runtime::prelude::*;

include!("../case.rs");

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

// Mistake: A property of `narrow` is compared.
/// A small database.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a66", name = "compared", create = NewDatabase, narrow(connection_limit <= 20))]
pub struct Compared;

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

// Mistake: A plan narrows properties of a property, values of an enum, and elements.
/// The parameters of a database.
#[parameters]
pub struct NewCluster {
    /// Connections at once.
    #[param(range(min = 1, max = 100), default = 10)]
    pub connections: u32,
    /// Backups.
    pub backup: Option<Backup>,
    /// The region.
    pub region: Region,
    /// Users.
    #[param(length(max = 10))]
    pub users: Vec<String>,
}

/// Backups.
#[parameters]
pub struct Backup {
    /// Copies.
    #[param(range(max = 9))]
    pub copies: u8,
}

/// A region.
#[parameters(rename_all = "lowercase")]
pub enum Region {
    /// Frankfurt.
    Eu,
    /// Virginia.
    Us,
}

/// A small database.
#[plan(
    id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "small",
    create = NewCluster,
    narrow(create(connections(max = 20)), backup(copies(max = 2)), region("eu"), users(items(max = 20)))
)]
pub struct Small;

// Mistake: Bounds have no values yet.
/// The parameters of a new store.
#[parameters]
pub struct HalfTyped {
    /// Users who may read the store.
    pub readers: Vec<String>,
    /// Seconds after which a key expires.
    #[param(range(max))]
    pub ttl: u32,
    /// Prefix of the keys.
    #[param(length(min))]
    pub prefix: String,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = HalfTyped, narrow(readers(max), ttl(min, max)))]
pub struct Free;

// Mistake: The type whose parameters a plan narrows has a field without a type: only one error.
/// A new queue.
#[parameters]
pub struct New {
    /// Number of messages.
    pub messages: u32,
    /// Time to live.
    #[param(default = 60)]
    pub ttl
}

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "untyped", create = New, narrow(messages(max = 10)))]
pub struct Untyped;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Untyped))]
pub struct Kv;

provisions!(Kv);
