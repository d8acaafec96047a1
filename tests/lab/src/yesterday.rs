//! The laboratory's broker as it was when its old plan was still sold.

use osb_runtime::prelude::*;

/// A laboratory.
#[service(id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "lab", plans(Old))]
#[derive(Debug)]
pub struct Lab;

/// One that is sold.
#[plan(id = "6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a05", name = "old")]
#[derive(Debug)]
pub struct Old;

impl Provision<Old> for Lab {
    type State = ();

    async fn provision(&self, _: New<Old>, _: &Work<()>) -> Result<Provisioned<()>, ProvisionError> {
        Ok(Provisioned::new(()))
    }

    async fn deprovision(&self, _: Remains<Old, ()>, _: &Work<()>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

/// Yesterday's broker.
#[broker]
#[derive(Debug)]
pub struct YesterdaysBroker {
    /// Its only service.
    pub lab: Lab,
}
