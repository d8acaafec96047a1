//! The service does not deprovision instances, or the migration of their state takes the type that it had.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro")]
pub struct Pro;

// Mistake: The service provisions instances but does not deprovision them.
impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }
}

impl Provision<Pro> for Kv {
    type State = u64;
    const STATE_VERSION: u32 = 1;
    // Mistake: The migration of a state takes the type that the state had.
    fn migrate_state(_: u32, state: u32) -> Result<u64, BoxError> {
        Ok(u64::from(state))
    }
    async fn provision(&self, _: ProvisionRequest<Pro>, _: &Operation<u64>) -> Result<Provisioned<u64>, ProvisionError> {
        Ok(Provisioned::new(1))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Pro, u64>, _: &Operation<u64>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

fn main() {}
