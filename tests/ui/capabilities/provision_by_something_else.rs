//! The handlers of a plan are those of the broker, or of a type that is not a service, or those of a service are for a type that is not a plan.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: The handlers are implemented for the broker, and not for the service.
/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

/// 10 messages.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

impl Provision<Small> for Broker {
    provision_items!(Small);
}

store!();

/// Not a service.
pub struct Other;

// Mistake: A type that is not a service provisions a plan.
impl Provision<Free> for Other {
    provision_items!(Free);
}

/// A disk.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "disk", plans(Large))]
pub struct Disk;

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "large")]
pub struct Large;

impl Provision<Large> for Disk {
    provision_items!(Large);
}

// Mistake: The service provisions a type that is not a plan.
impl Provision<u64> for Disk {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<u64>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<u64, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Queue, Kv, Disk);
