//! A field is a shared trait object that isn't `Sync`.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A backend.
pub trait Backend {}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    field: std::sync::Arc<dyn Backend + Send>,
}

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

fn main() {}
