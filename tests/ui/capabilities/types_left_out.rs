//! `Provision` is implemented without its plan, or the request of an update names the plan once.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

// Mistake: `Provision` is implemented without its plan.
impl Provision for Kv {
    provision_items!(Free);
}

binds!(Kv, Free = LogDrain);

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small", maintenance_info(version = "1.0.0"))]
pub struct Small;

provisions!(Queue);

// Mistake: The request of an update names the plan once.
impl Update<Small> for Queue {
    async fn update(&self, _: UpdateRequest<Small, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

#[broker]
pub struct Broker(Kv, Queue);
