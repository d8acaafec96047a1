//! The attribute is on an enum or on an `impl`.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: The attribute is on an enum.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub enum Memory {
    /// In memory.
    Memory,
}

/// A store.
pub struct Kv;

// Mistake: The attribute is on an `impl`.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "kv", plans(Pro))]
impl Kv {}

plans!(Free, Pro);
