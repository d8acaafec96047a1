//! Plans have parameters or a version, or can be rotated, but the service has no handlers for that.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(
        // Mistake: A plan has parameters for bindings, but the service does not bind it.
        Basic,
        // Mistake: A plan's bindings can be rotated, but the service does not bind it.
        Pro,
        // Mistake: A plan has a maintenance version, but the service does not update it.
        Large,
        // Mistake: A plan has parameters for updates, but the service does not update it.
        Huge,
    ),
)]
pub struct Kv;

provisions!(Kv);

/// 100 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "basic", bind = Access)]
pub struct Basic;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "pro", bindable, rotatable)]
pub struct Pro;

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "large", maintenance_info(version = "1.0.0"))]
pub struct Large;

/// 100 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "huge", create = NewStore, update = StoreChanges)]
pub struct Huge;

/// The parameters of a binding.
#[parameters]
pub struct Access {
    /// `true` if it only reads.
    #[param(default = false)]
    pub read_only: bool,
}

/// The parameters of a new store.
#[parameters(partial = StoreChanges)]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[param(default = 3_600)]
    pub ttl: u32,
}
