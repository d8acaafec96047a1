//! The type of the parameters is a number, a value, a reference, `Self`, or a call.

use osb_runtime::prelude::*;

// Mistake: The type of the parameters is a reference, `Self`, or a call.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = &New)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", create = Self)]
pub struct Pro;

/// 2 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", create = New::new())]
pub struct Large;

// Mistake: Parameters are a number.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "free", create = 5)]
pub struct Number;

// Mistake: `create` is a value.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "free", create = New {})]
pub struct Value;

// Mistake: The type of `create` is in parentheses.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a07", name = "free", create(New))]
pub struct Listed;

// Mistake: The path of the type is half-typed.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "free", create = plans::)]
pub struct HalfTyped;

/// The parameters of a new store.
#[parameters]
pub struct New {
    /// Seconds.
    pub ttl: u32,
}

fn main() {}
