//! A change leads to a plan of another service.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", description = "A store.", plans(Free), changes(Free => Cold))]
pub struct Kv;

#[service(id = "4f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "archive", description = "An archive.", plans(Cold))]
pub struct Archive;

#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", description = "Free.")]
pub struct Free;

#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a03", name = "cold", description = "Cold.")]
pub struct Cold;

impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Provision<Cold> for Archive {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Cold>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Cold>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv, Archive);

fn main() {}
