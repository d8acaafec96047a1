//! A plan has a type parameter, and is used with and without arguments.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro<u8>), changes(Free => Pro<u8>))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free<T>(T);

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
pub struct Pro<T: Copy>(T);

impl<P: Plan> Provision<P> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl ChangePlan<Free, Pro<u8>> for Kv {
    async fn change_plan(
        &self,
        _: UpdateRequest<Free, Pro<u8>, ()>,
        _: &Operation,
    ) -> Result<Updated, UpdateError> {
        Ok(Updated::new(()))
    }
}

#[broker]
pub struct Broker(Kv);

fn main() {}
