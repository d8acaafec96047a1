//! There is no comma between two fields: the item stays usable.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = New)]
pub struct Free;

/// A new store.
#[parameters(partial = Changes)]
#[derive(Debug)]
pub struct New {
    #[param(default = 60)]
    pub ttl: u32
    pub prefix: Option<String>,
}

pub fn used(changes: Changes) -> Change<u32> {
    changes.ttl
}

impl Provision<Free> for Kv {
    type State = u32;
    async fn provision(&self, request: ProvisionRequest<Free>, _: &Operation<u32>) -> Result<Provisioned<u32>, ProvisionError> {
        Ok(Provisioned::new(request.parameters.ttl))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, u32>, _: &Operation<u32>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

fn main() {}
