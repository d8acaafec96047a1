//! A service lists itself as its plan.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Kv))]
pub struct Kv;

impl<P: Plan> Provision<P> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv);

fn main() {}
