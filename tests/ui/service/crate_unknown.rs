//! The crate that is to be used does not exist.
use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free), crate = osb)]
struct Kv;

/// Small.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", crate = osb)]
struct Free;

impl<P: Plan> Provision<P> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker(crate = osb)]
struct Broker(Kv);

fn main() {}
