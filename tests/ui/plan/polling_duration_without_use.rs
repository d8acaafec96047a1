//! Warning: the polling duration of a plan is in milliseconds, less than a minute, or for operations that are never asynchronous.
#![deny(deprecated)]
use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Milliseconds, Short, Synchronous))]
pub struct Kv;

provisions!(Kv);

// Mistake: A duration in milliseconds.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "milliseconds", maximum_polling_duration = 7_200_000)]
pub struct Milliseconds;

// Mistake: Warning: a polling duration is less than a minute.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "short", maximum_polling_duration = "30s")]
pub struct Short;

// Mistake: Warning: a plan that is never asynchronous has a polling duration.
/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "synchronous", asynchronous(instances = never), maximum_polling_duration = 3600)]
pub struct Synchronous;

fn main() {}
