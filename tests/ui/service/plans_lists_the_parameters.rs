//! `plans(...)` lists the parameters of a plan.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Size))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = Size)]
pub struct Free;

/// The size of a store.
#[parameters]
pub struct Size {
    /// Megabytes.
    pub size: u32,
}

provisions!(Kv);

#[broker]
pub struct Broker(Kv);
