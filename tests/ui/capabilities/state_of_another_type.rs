//! A state stands in place of a result, or a stored state in place of a state.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

impl Provision<Free> for Kv {
    type State = String;
    async fn provision(&self, _: ProvisionRequest<Free>, _: &Operation<String>) -> Result<Provisioned<String>, ProvisionError> {
        // Mistake: A state stands in place of the result of a handler.
        let made: Provisioned<String> = String::from("store");
        Ok(made)
    }
    async fn deprovision(&self, request: DeprovisionRequest<Free, String>, _: &Operation<String>) -> Result<(), DeprovisionError> {
        // Mistake: A deletion takes a state that no longer decodes for none.
        let Some(name) = request.state else { return Ok(()) };
        drop(name);
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv);

fn main() {}
