//! The request of an update names the plan once.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", maintenance_info(version = "1.0.0"))]
pub struct Free;

provisions!(Kv);

impl Update<Free> for Kv {
    async fn update(&self, _: UpdateRequest<Free, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

#[broker]
pub struct Broker(Kv);
