//! A state stands in place of a result, or a stored state in place of a state; the result of a bind has none; or it cannot be serialized, and is saved in a checkpoint.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Small))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

impl Provision<Free> for Kv {
    type State = String;
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<String>) -> Result<Provisioned<String>, ProvisionError> {
        // Mistake: A state stands in place of the result of a handler.
        let made: Provisioned<String> = String::from("store");
        Ok(made)
    }
    async fn deprovision(&self, request: DeprovisionRequest<Free, String>, _: &Operation<String>) -> Result<(), DeprovisionError> {
        // Mistake: A deletion takes a state that no longer decodes for none.
        let Some(name) = request.state else { return Ok(()) };
        drop(name);
        Ok(())
    }
}

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "small")]
pub struct Small;

/// Where a store is.
pub struct StoreId(u64);

// Mistake: The state cannot be serialized, and is saved in a checkpoint.
impl Provision<Small> for Kv {
    type State = StoreId;
    async fn provision(&self, _: ProvisionRequest<Small>, operation: &Operation<StoreId>) -> Result<Provisioned<StoreId>, ProvisionError> {
        if let Some(made) = operation.checkpointed() {
            return Ok(Provisioned::new(made));
        }
        operation.checkpoint(&StoreId(1)).await?;
        Ok(Provisioned::new(StoreId(1)))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Small, StoreId>, _: &Operation<StoreId>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

// Mistake: The result of a bind has no state.
pub fn bind() -> Result<Bound<LogDrain>, BindError> {
    Ok(Bound::new(LogDrain::new("syslog-tls://logs.example.com:6514")?))
}

#[broker]
pub struct Broker(Kv);

fn main() {}
