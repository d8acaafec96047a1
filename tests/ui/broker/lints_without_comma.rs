//! Lints have no comma between them, and warnings have other names.

use osb_runtime::prelude::*;

#[broker(deny(lowercase_names one_way_changes), forbid(required_create_parameters))]
pub struct Broker(Kv);

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
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

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

fn main() {}
