//! A field of a type with a partial type has no schema: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = New, update = Changes)]
pub struct Free;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug, Clone)]
pub struct New {
    /// When it ends.
    pub end: Option<std::thread::ThreadId>,
}

provisions!(Kv);
updates!(Kv, Free);

fn main() {}
