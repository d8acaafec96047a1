//! The state cannot be serialized, and is saved in a checkpoint.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// Where a store is.
pub struct StoreId(u64);

impl Provision<Free> for Kv {
    type State = StoreId;
    async fn provision(&self, _: ProvisionRequest<Free>, operation: &Operation<StoreId>) -> Result<Provisioned<StoreId>, ProvisionError> {
        if let Some(made) = operation.checkpointed() {
            return Ok(Provisioned::new(made));
        }
        operation.checkpoint(&StoreId(1)).await?;
        Ok(Provisioned::new(StoreId(1)))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, StoreId>, _: &Operation<StoreId>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

fn main() {}
