//! A property has another type in the update.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, update = StoreChanges)]
pub struct Free;

provisions!(Kv);
updates!(Kv, Free);

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(default = 60)]
    pub ttl: u32,
}

/// The parameters of an update.
#[parameters]
pub struct StoreChanges {
    /// Seconds after which a key expires.
    pub ttl: Option<String>,
}

fn main() {}
