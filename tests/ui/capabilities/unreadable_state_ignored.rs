//! A deletion takes a state that no longer decodes for none.
use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "free")]
pub struct Free;

impl Provision<Free> for Kv {
    type State = String;
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<String>) -> Result<Provisioned<String>, ProvisionError> {
        Ok(Provisioned::new("store".to_owned()))
    }
    async fn deprovision(&self, request: DeprovisionRequest<Free, String>, _: &Operation<String>) -> Result<(), DeprovisionError> {
        let Some(name) = request.state else { return Ok(()) };
        drop(name);
        Ok(())
    }
}

fn main() {}
