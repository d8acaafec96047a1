//! A plan has an unknown argument in place of `create`, and its parameters are used.

use osb_runtime::prelude::*;

/// Parameters.
#[parameters]
pub struct NewStore {
    /// Seconds after which a key expires.
    pub ttl: Option<u32>,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", schemas(create = NewStore))]
pub struct Free;

trait Quota: Plan<Create = NewStore> {}
impl Quota for Free {}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

impl<P: Quota> Provision<P> for Kv {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<P>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        let _ = request.parameters.ttl;
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<P>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

fn main() {}
