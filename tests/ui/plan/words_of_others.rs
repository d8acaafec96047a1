//! The words for parameters and the price are those of other frameworks.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", parameters = NewStore)]
pub struct Free;

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", paid)]
pub struct Pro;

/// Parameters of a store.
#[parameters]
pub struct NewStore {
    /// Seconds until an entry expires.
    pub ttl: Option<u32>,
}

provisions!(Kv);

fn main() {}
