//! Narrower bounds without names.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Gigabytes.
    #[param(range(min = 1, max = 100))]
    pub size_gb: u32,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, narrow(size_gb(1..=2)))]
pub struct Free;

provisions!(Kv);

fn main() {}
