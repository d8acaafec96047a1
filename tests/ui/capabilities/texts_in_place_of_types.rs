//! A dashboard URL, and error codes of a handler and of a hook, are strings; a refusal is made of an error in place of a text; an attribute is a struct.

use osb_runtime::lifecycle::{Event, HookError, Hooks};
use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<Free>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        if request.id().is_empty() {
            // Mistake: An error code is a string.
            return Err(ProvisionError::refused("The quota is used up.").code("QuotaExceeded"));
        }
        if let Err(error) = std::fs::read("kv") {
            // Mistake: A refusal is made of an error in place of a text.
            return Err(ProvisionError::refused(error));
        }
        if request.id().len() > 9 {
            // Mistake: An attribute is a struct in place of JSON.
            return Ok(Provisioned::new(()).attribute("service", Kv));
        }
        // Mistake: A dashboard URL is a string.
        Ok(Provisioned::new(()).dashboard("https://kv.example.com"))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv);

struct MaintenanceWindow;

// Mistake: The error code of a hook is a string.
impl Hooks for MaintenanceWindow {
    async fn before(&self, _: &Event) -> Result<(), HookError> {
        Err(HookError::refused("There is maintenance until 6:00 UTC.").code("Maintenance"))
    }
}

fn main() {}
