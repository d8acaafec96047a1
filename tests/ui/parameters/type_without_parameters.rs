//! The type of a field, of one with a default, of one of an update or inside of a newtype has no schema: one error for each.

use osb_runtime::prelude::*;

include!("../case.rs");

/// Limits.
pub struct Limits {
    /// The number of keys.
    pub keys: u64,
}

/// A region.
#[derive(Debug, Clone)]
pub enum Region {
    /// Frankfurt.
    Eu,
}

// Mistake: A field's type has no schema.
/// Limits as a newtype.
#[parameters]
pub struct Quota(pub Limits);

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Its limits.
    pub limits: Limits,
}

// Mistake: A field with a default has a type without `#[parameters]`.
/// The parameters of a new copy.
#[parameters(partial = CopyChanges)]
pub struct NewCopy {
    /// Where it is.
    #[param(default = "Eu")]
    pub region: Region,
}

// Mistake: A field of a type with a partial type has no schema: only one error.
/// The parameters of a new queue.
#[parameters(partial = Changes)]
#[derive(Debug, Clone)]
pub struct New {
    /// When it ends.
    pub end: Option<std::thread::ThreadId>,
}

// Mistake: A foreign type has no schema.
/// The parameters of a new set of limits.
#[parameters]
pub struct NewLimits {
    /// The limits.
    pub limits: Foreign<Serialized>,
}

/// Limits.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Serialized {}

// Mistake: The keys of a map are an enum.
/// The parameters of a new set of queues.
#[parameters]
pub struct NewQueues {
    /// The number of queues of each kind.
    pub queues: std::collections::HashMap<Kind, u32>,
}

/// A kind of queues.
#[parameters]
#[derive(PartialEq, Eq, Hash)]
pub enum Kind {
    /// In memory.
    Memory,
}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = New, update = Changes)]
pub struct Free;

provisions!(Kv);
updates!(Kv, Free);
