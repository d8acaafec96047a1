//! Generated code passes the lints that a strict crate has.

#![deny(warnings, missing_docs, unused_qualifications, unreachable_pub, missing_debug_implementations)]
#![deny(missing_copy_implementations, single_use_lifetimes, trivial_casts, unused_results, unused_lifetimes)]
#![forbid(unsafe_code)]
#![allow(dead_code)]

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, plans::Pro), changes(Free => plans::Pro), bindings_retrievable, metadata(documentation_url = "https://docs.example.com/first%20steps"))]
#[derive(Debug, Clone, Copy)]
pub struct Kv {
    cache: Cache,
    limits: Option<Limits>,
    count: u32,
}

/// Values in memory.
#[derive(Debug, Clone, Copy)]
pub struct Cache;

/// Limits of a store.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Values.
    pub values: u32,
}

/// 10 MB, for trying things out.
#[derive(Debug, Clone, Copy)]
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable, update = NoParameters, maximum_polling_duration = 60)]
pub struct Free;

mod plans {
    use osb_runtime::plan;

    /// 1 GB, billed monthly.
    #[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Pro;
}

provisions!(Kv);
binds!(Kv, Free = LogDrain);
updates!(Kv, Free);
changes!(Kv, Free => plans::Pro);

/// The broker.
#[broker(dynamic, deny(lowercase_names))]
#[derive(Debug, Clone, Copy)]
pub struct Broker {
    kv: Kv,
}

pub(super) fn main() {}
