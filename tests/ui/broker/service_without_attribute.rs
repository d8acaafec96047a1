//! A service of the broker has no attribute, and has many handlers: only one error.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
pub struct Kv;

/// Files, which have their attribute.
#[service(id = "b3ad1f9d-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "files", plans(Small))]
pub struct Files;

plans!(Small, Free);

/// 1 GB.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", maintenance_info(version = "1.0.0"), bindable)]
pub struct Pro;

provisions!(Kv, Files);
binds!(Kv, Pro = LogDrain);
updates!(Kv, Pro);
changes!(Kv, Free => Pro);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
    files: Files,
}
