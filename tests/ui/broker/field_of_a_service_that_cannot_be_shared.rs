//! A service has a `Cell` in a type of its own: the other services are right.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

plans!(Free);

/// Logs.
#[service(id = "0b6ad0f4-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "logs", plans(Pro))]
pub struct Logs {
    sink: Sink,
}

/// Where logs go.
pub struct Sink {
    lines: std::cell::Cell<u64>,
}

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false)]
pub struct Pro;

provisions!(Kv, Logs);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
    logs: Logs,
}
