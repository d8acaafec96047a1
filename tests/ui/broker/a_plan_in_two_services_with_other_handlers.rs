//! Two services offer the same plan, and one of them lacks its handlers: only one error.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Cold))]
pub struct Kv;

/// An archive.
#[service(id = "4f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "archive", plans(Cold))]
pub struct Archive;

/// Cold.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "cold", bindable, maintenance_info(version = "1.0.0"))]
pub struct Cold;

provisions!(Kv);
updates!(Kv, Cold);

binds!(Kv, Cold = LogDrain);

/// The broker.
#[broker]
pub struct Broker(Kv, Archive);

fn main() {}
