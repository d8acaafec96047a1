//! The type of the parameters is missing, does not exist or is in quotes, or `create` is misspelt or unknown: no error about the fields that a handler uses.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Half, Quoted, Misspelt, Unknown, Untyped))]
pub struct Kv;

// Mistake: The type of the parameters is missing: no error about the fields that a handler uses.
/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "half", create = )]
pub struct Half;

// Mistake: The type of the parameters is in quotes: no error about the fields that a handler uses.
/// 100 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "quoted", create = "New")]
pub struct Quoted;

// Mistake: `create` is misspelt: no error about the fields that a handler uses.
/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "misspelt", craete = New)]
pub struct Misspelt;

// Mistake: A plan has an unknown argument in place of `create`, and its parameters are used.
/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "unknown", schemas(create = New))]
pub struct Unknown;

pub trait Quota: Plan<Create = New> {}
impl Quota for Unknown {}

// Mistake: The type of the parameters does not exist.
/// 100 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "untyped", create = NewStore)]
pub struct Untyped;

impl Provision<Untyped> for Kv {
    provision_items!(Untyped);
}

/// A new store.
#[parameters]
pub struct New {
    /// Seconds.
    pub ttl: u32,
}

provisions_by_ttl!(Kv, Half, Quoted, Misspelt, Unknown);
