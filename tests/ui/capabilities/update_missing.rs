//! Plans have a maintenance version, or parameters for updates, but the service does not update them.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(
        // Mistake: A plan has a maintenance version, but the service does not update it.
        Free,
        // Mistake: A plan has parameters for updates, but the service does not update it.
        Pro,
    ),
)]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", maintenance_info(version = "1.0.0"))]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", create = NewStore, update = StoreChanges)]
pub struct Pro;

/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(default = 3_600)]
    pub ttl: u32,
}

fn main() {}
