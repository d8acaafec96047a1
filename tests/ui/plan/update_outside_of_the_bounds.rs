//! A plan narrows a parameter to less than its update accepts.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);
updates!(Kv, Free);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, update = StoreChanges, narrow(size(max = 7)))]
pub struct Free;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    #[param(range(max = 100), default = 5)]
    pub size: u8,
}

/// The parameters of an update.
#[parameters]
pub struct StoreChanges {
    #[param(range(min = 50, max = 100))]
    pub size: Option<u8>,
}

fn main() {}
