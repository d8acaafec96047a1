//! An update has a parameter that a create does not have.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

updates!(Kv, Free);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, update = StoreChanges)]
pub struct Free;

/// What a user may choose.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: Option<u32>,
}

/// What a user may change.
#[parameters]
pub struct StoreChanges {
    /// How many copies there are.
    pub copies: Option<u32>,
}

fn main() {}
