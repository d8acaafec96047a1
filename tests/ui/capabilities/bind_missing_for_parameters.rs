//! A plan has parameters for bindings, but the service does not bind it.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bind = Access)]
pub struct Free;

/// The parameters of a binding.
#[parameters]
pub struct Access {
    /// `true` if it only reads.
    #[param(default = false)]
    pub read_only: bool,
}

fn main() {}
