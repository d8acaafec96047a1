//! A type is under `#[parameters]` and `#[credentials]`, or under `#[parameters]` twice.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = Both)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", create = Twice)]
pub struct Pro;

// Mistake: A type is under `#[parameters]` and `#[credentials]`.
/// A new store.
#[parameters]
#[credentials]
pub struct Both {
    /// Seconds.
    pub ttl: u32,
}

// Mistake: The attribute is there twice.
/// A new store.
#[parameters]
#[parameters(open)]
#[derive(Debug)]
pub struct Twice {
    /// Seconds.
    #[param(default = 60)]
    pub ttl: u32,
}

provisions_by_ttl!(Kv, Free, Pro);
