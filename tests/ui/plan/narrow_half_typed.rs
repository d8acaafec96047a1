//! Bounds have no values yet, or the type whose parameters a plan narrows has a field without a type.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: Bounds have no values yet.
/// The parameters of a new store.
#[parameters]
pub struct NewStore {
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
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, narrow(readers(max), ttl(min, max)))]
pub struct Free;

/// A plan.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small", create = New, narrow(messages(max = 10)))]
pub struct Small;

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

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Small))]
pub struct Kv;

provisions!(Kv);
