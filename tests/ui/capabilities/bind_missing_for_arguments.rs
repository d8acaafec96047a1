//! Plans have parameters for bindings, or can be rotated, but the service does not bind them.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(
        // Mistake: A plan has parameters for bindings, but the service does not bind it.
        Free,
        // Mistake: A plan's bindings can be rotated, but the service does not bind it.
        Pro,
    ),
)]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bind = Access)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", bindable, rotatable)]
pub struct Pro;

/// The parameters of a binding.
#[parameters]
pub struct Access {
    /// `true` if it only reads.
    #[param(default = false)]
    pub read_only: bool,
}

fn main() {}
