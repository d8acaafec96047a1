//! The broker is an enum, generic, without services, has itself as one, or has one that is conditional; or attributes of items are on fields.

use osb_runtime::prelude::*;

include!("../case.rs");

store!();

// Mistake: The attribute is on an enum.
/// A broker.
#[broker]
pub enum Enum {
    /// A store.
    Kv(Kv),
}

// Mistake: A broker has itself as a service.
/// A broker.
#[broker]
pub struct Own(Own);

// Mistake: A service is conditional (`#[cfg]`).
/// A broker.
#[broker]
pub struct Conditional {
    /// The store.
    #[cfg(unix)]
    kv: Kv,
}

// Mistake: A broker has a type parameter.
/// A broker.
#[broker]
pub struct Generic<T> {
    kv: T,
}

// Mistake: A broker has no services.
/// A broker.
#[broker]
pub struct Empty;

// Mistake: Attributes of items are on fields.
/// A broker.
#[broker]
pub struct Fields {
    #[service]
    pub queue: Queue,
}

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue {
    #[broker(skip)]
    pub keys: u32,
}

plans!(Small);
