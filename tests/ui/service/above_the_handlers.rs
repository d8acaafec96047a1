//! The attribute is above the handlers, in place of the service or above both.

use osb_runtime::prelude::*;

/// A store.
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

// Mistake: The attribute is above the handlers.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

/// 100 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

// Mistake: The attribute is above the service, and above its handlers too.
#[service]
impl Provision<Small> for Queue {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Small>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Small>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv, Queue);

fn main() {}
