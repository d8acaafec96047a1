//! Two services offer the same plan, and none another one, or one of them lacks its handlers.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Cold))]
pub struct Kv;

// Mistake: Two services offer the same plan, and none another one.
/// An archive.
#[service(id = "4f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "archive", plans(Cold))]
pub struct Archive;

plans!(Cold, Free);

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "queue", plans(Small))]
pub struct Queue;

// Mistake: Two services offer the same plan, and one of them lacks its handlers: only one error.
/// Mail.
#[service(id = "4f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "mail", plans(Small))]
pub struct Mail;

/// Small.
#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "small", bindable, maintenance_info(version = "1.0.0"))]
pub struct Small;

provisions!(Kv, Archive, Queue);
updates!(Queue, Small);
binds!(Queue, Small = LogDrain);

/// The broker.
#[broker]
pub struct Broker(Kv, Archive, Queue, Mail);
