//! A broker supports old platforms, but a name has a capital letter, a change goes one way, or a parameter is required.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: A name has a capital letter, and the broker supports old platforms.
/// The broker.
#[broker(deny(lowercase_names))]
pub struct Names {
    kv: Kv,
}

// Mistake: Only one of two plans can be changed, and the broker supports old platforms.
/// The broker.
#[broker(deny(one_way_changes))]
pub struct OneWay {
    kv: Kv,
}

// Mistake: A parameter is required, and the broker supports old platforms.
/// The broker.
#[broker(deny(required_create_parameters))]
pub struct Required {
    kv: Kv,
}

/// The broker, whose second service has the capital letter.
#[broker(deny(lowercase_names))]
pub struct Second {
    queue: Queue,
    kv: Kv,
}

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

provisions!(Queue);

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "small")]
pub struct Small;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

provisions!(Kv);
changes!(Kv, Free => Pro);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "Free", create = NewStore)]
pub struct Free;

/// 1 GB, billed monthly.
#[plan(id = "c2f6e7d1-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "pro", free = false, create = NewStore)]
pub struct Pro;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: u32,
}
