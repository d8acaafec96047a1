//! Types of parameters that plans use have a mistake, a type parameter or a lifetime, a bound that is a generic parameter, or two attributes.

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

// Mistake: A type is under `#[parameters]` and `#[credentials]`.
/// A new store.
#[parameters]
#[credentials]
pub struct Both {
    /// Seconds.
    pub ttl: u32,
}

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large", create = Both)]
pub struct Large;

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

/// 100 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "huge", create = Twice)]
pub struct Huge;

// Mistake: Parameters with a mistake belong to a plan in a broker: only one error.
/// Parameters.
#[parameters]
pub struct Commaless {
    /// Seconds after which a key expires.
    #[param(range(min = 1 max = 5))]
    pub ttl: u32,
}

/// 1 TB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "most", create = Commaless)]
pub struct Most;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro, Large, Huge, Most))]
pub struct Kv;

provisions_by_ttl!(Kv, Free, Pro, Large, Huge, Most);
binds!(Kv, Free = LogDrain, Pro = LogDrain);

/// The broker.
#[broker]
pub struct Broker {
    /// The store.
    pub kv: Kv,
}
