//! The services are arguments, in a list or not, with or without fields.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

plans!(Free, Small);

provisions!(Kv, Mq);

/// Queues.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "mq", plans(Small))]
pub struct Mq;

// Mistake: The services are arguments of the attribute.
/// A broker.
#[broker(Kv, Mq)]
pub struct Both;

// Mistake: The services are an argument, and there are no fields.
/// A broker with a field.
#[broker(services(Kv))]
pub struct Broker {
    kv: Kv,
}

// Mistake: The services are listed although they are the fields.
/// A broker without fields.
#[broker(services(Kv))]
pub struct Empty;
