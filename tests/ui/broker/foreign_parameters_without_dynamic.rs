//! A schema is known only at run time, and the broker is not dynamic.

use osb_runtime::prelude::*;

include!("../case.rs");

/// The broker.
#[broker]
pub struct Broker {
    queue: Queue,
    kv: Kv,
}

/// A queue, whose schemas are known.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

provisions!(Queue);

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore)]
pub struct Free;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// When the store may be maintained.
    pub window: osb_runtime::schema::Foreign<Window>,
}

/// A type from elsewhere.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Window {
    /// The hour it begins.
    pub hour: u8,
}
