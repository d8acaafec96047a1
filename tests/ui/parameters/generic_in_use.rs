//! Types of parameters have a type parameter or a lifetime, and plans use them, or a bound that is a generic parameter.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: A type of parameters has a type parameter, and plans use it.
/// Parameters.
#[parameters]
pub struct NewStore<T> {
    /// Seconds after which a key expires.
    pub ttl: T,
}

// Mistake: Parameters have a lifetime.
/// Parameters.
#[parameters]
pub struct Named<'a> {
    /// Seconds after which a key expires.
    pub ttl: u32,
    /// The name.
    pub name: &'a str,
}

// Mistake: A bound is a generic parameter.
/// Parameters.
#[parameters]
pub struct Sizes<const MAX: u32> {
    /// The size.
    #[param(range(max = MAX))]
    pub size: u32,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, bind = NewStore<u8>)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", create = Named, bind = Named)]
pub struct Pro;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

provisions_by_ttl!(Kv, Free, Pro);
binds!(Kv, Free = LogDrain, Pro = LogDrain);
