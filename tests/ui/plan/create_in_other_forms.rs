//! The type of the parameters is a reference, `Self`, or a call.

use osb_runtime::prelude::*;

/// A new store.
#[parameters]
pub struct New {
    /// Seconds.
    pub ttl: u32,
}

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = &New)]
pub struct Free;

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", create = Self)]
pub struct Pro;

/// 2 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "large", create = New::new())]
pub struct Large;

fn main() {}
