//! A plan has a generic parameter with a default.
#![deny(warnings)]
use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Storage))]
pub struct Kv;

/// 10 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "storage")]
pub struct Storage<const GB: u32 = 10>;

impl Provision<Storage> for Kv {
    type State = ();
    async fn provision(&self, _: ProvisionRequest<Storage>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Storage>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

fn main() {}
