//! A test sends a struct in place of JSON, or `None` in place of no parameters.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

provisions!(Kv);

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

/// The parameters of a store.
#[parameters]
pub struct NewStore {
    /// Seconds.
    ttl: u32,
}

pub async fn test() {
    let platform = osb_testing::Client::new(Broker { kv: Kv }).await;
    // Mistake: A test sends a struct in place of JSON.
    platform.provision("one", "kv", "free", NewStore { ttl: 60 }).await;
    // Mistake: A test sends `None` in place of no parameters.
    platform.update("one", None).await;
}

fn main() {}
