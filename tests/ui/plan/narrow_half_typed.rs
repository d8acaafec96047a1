//! Bounds have no values yet.

use osb_runtime::prelude::*;

include!("../handlers.rs");

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

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

fn main() {}
