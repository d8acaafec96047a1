//! A field has a keyword for its name: the item stays usable.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = New)]
pub struct Free;

/// A new store.
#[parameters]
#[derive(Debug)]
pub struct New {
    /// Seconds.
    #[param(default = 60)]
    pub ttl: u32,
    pub type: String,
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
