//! Plans are not listed, stand alone among the arguments or beside the list, or are under `#[service]`, or the list has the service itself, or the parameters of a plan.

#![deny(warnings)]

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: The service lists none of its plans.
/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv")]
pub struct Kv;

// Mistake: The plans stand alone among the arguments.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", Free, Pro, changes(Free => Pro))]
pub struct Queue;

plans!(Free, Pro, Inner, Outer);

// Mistake: A plan is under `#[service]`, and a service lists it.
/// Mail.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "mail", plans(Basic))]
pub struct Mail;

/// 10 messages.
#[service(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "basic")]
pub struct Basic;

// Mistake: A service lists itself as its plan.
/// Files.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "files", plans(Files))]
pub struct Files;

// Mistake: One of two plans is beside the list: only one error.
/// A disk.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "disk", plans(Inner), Outer)]
pub struct Disk;

// Mistake: `plans(...)` lists the parameters of a plan.
/// Boxes.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a06", name = "box", plans(Size))]
pub struct Boxes;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a04", name = "boxed", create = Size)]
pub struct Boxed;

/// The size of a box.
#[parameters]
pub struct Size {
    /// Megabytes.
    pub size: u32,
}

provisions!(Kv, Queue, Mail, Files, Disk, Boxes);
changes!(Queue, Free => Pro);

/// The broker.
#[broker]
pub struct Broker(Kv, Queue, Mail, Files, Disk, Boxes);
