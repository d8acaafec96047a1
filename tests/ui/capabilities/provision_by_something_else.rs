//! A type that is not a service provisions a plan.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

plans!(Free);

/// Not a service.
pub struct Other;

impl Provision<Free> for Other {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, ()>, _: &Operation<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}
