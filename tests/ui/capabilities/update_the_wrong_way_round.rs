//! `Update` is implemented for the plan, and not for the service.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = Size, update = Size)]
pub struct Free;

/// The size of a store.
#[parameters]
pub struct Size {
    /// Megabytes.
    pub size: Option<u32>,
}

impl Provision<Free> for Kv {
    type State = u32;
    async fn provision(&self, request: ProvisionRequest<Free>, _: &Operation<u32>) -> Result<Provisioned<u32>, ProvisionError> {
        Ok(Provisioned::new(request.parameters.size.unwrap_or(1)))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, u32>, _: &Operation<u32>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Update<Kv> for Free {
    async fn update(&self, request: UpdateRequest<Kv, Kv, u32>, _: &Operation<u32>) -> Result<Updated<u32>, UpdateError> {
        Ok(Updated::new(request.state + 1))
    }
}

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

fn main() {}
