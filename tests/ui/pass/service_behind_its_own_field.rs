//! A service with a field whose type leads back to it, and one that is left out.

use std::sync::{Arc, Mutex, Weak};

use osb_runtime::prelude::*;

/// The owner of some services.
pub struct Registry {
    /// Its first service.
    pub first: Mutex<Weak<Files>>,
}

/// Files.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "files", plans(Small))]
pub struct Files {
    /// Where it is registered.
    pub registry: Arc<Registry>,
    /// For another system.
    #[cfg(any())]
    pub elsewhere: Missing,
}

/// Small.
#[plan(id = "8a4a2b58-0c1d-4f6e-9a57-2f0f6b1c7d02", name = "small")]
pub struct Small;

impl Provision<Small> for Files {
    type State = ();

    async fn provision(&self, _: ProvisionRequest<Small>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, _: DeprovisionRequest<Small>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

fn main() {}
