//! `Provision`, `Bind` and `Update` are implemented for the plan, and not for the service.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(
    id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01",
    name = "kv",
    plans(
        // Mistake: `Bind` is implemented for the plan, and not for the service.
        Free,
        // Mistake: `Update` is implemented for the plan, and not for the service.
        Pro,
    ),
)]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", maintenance_info(version = "1.0.0"))]
pub struct Pro;

provisions!(Kv);

binds!(Free, Kv = LogDrain);

impl Update<Kv> for Pro {
    async fn update(&self, _: UpdateRequest<Kv, Kv, ()>, _: &Operation) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

// Mistake: The handlers are implemented for the plan, and not for the service.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "small", bindable)]
pub struct Small;

impl Provision<Queue> for Small {
    provision_items!(Queue);
}

binds!(Small, Queue = LogDrain);

#[broker]
pub struct Broker(Kv, Queue);
