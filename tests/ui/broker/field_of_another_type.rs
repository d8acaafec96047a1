//! Fields are no services, but a time or a plan, or services with a `Cell`, references, locks, lists or other wrappers of services, trait objects, or tuples.

use osb_runtime::prelude::*;

include!("../case.rs");

store!();

/// A wrapper.
pub struct Cached<S>(S);

// Mistake: A field is a reference to a service.
/// A broker.
#[broker]
pub struct Reference(&'static Kv);

// Mistake: A field is a tuple of services.
/// A broker.
#[broker]
pub struct Tuple((Kv, Kv));

// Mistake: Fields are a lock, a tuple of nothing, and a type with a parameter.
/// A broker.
#[broker]
pub struct Lock(std::sync::Mutex<Kv>, Cached<Box<dyn Send>>, ());

// Mistake: A field is a lock in an `Arc`.
/// A broker.
#[broker]
pub struct SharedLock(std::sync::Arc<std::sync::Mutex<Kv>>);

// Mistake: A field is `Arc<Kv>`.
/// A broker.
#[broker]
pub struct Shared(std::sync::Arc<Kv>);

// Mistake: A field is `Option<Kv>`.
/// A broker.
#[broker]
pub struct Optional(Option<Kv>);

// Mistake: A field is `Vec<Kv>`.
/// A broker.
#[broker]
pub struct List(Vec<Kv>);

// Mistake: The fields are trait objects.
/// A broker.
#[broker]
pub struct Objects(Vec<Box<dyn osb_runtime::service::Service>>);

/// A broker.
#[broker]
pub struct Others {
    kv: Kv,
    // Mistake: A field of the broker is a plan.
    free: Free,
    // Mistake: A field of the broker is not a service.
    started: std::time::Instant,
}

// Mistake: A service has a `Cell` in a type of its own: the other services are right.
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

provisions!(Logs);

/// A broker.
#[broker]
pub struct Sharing {
    kv: Kv,
    logs: Logs,
}
