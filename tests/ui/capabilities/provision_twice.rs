//! A plan has two implementations of `Provision`: one for every plan and an exception, and the same one twice.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

plans!(Free, Small);

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", bindable)]
pub struct Pro;

/// A queue.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "queue", plans(Small))]
pub struct Queue;

provisions!(Kv, Queue, Queue);

impl Provision<Pro> for Kv {
    type State = String;
    async fn provision(
        &self,
        _: ProvisionRequest<Pro>,
        operation: &Operation<String>,
    ) -> Result<Provisioned<String>, ProvisionError> {
        Ok(Provisioned::new(operation.id().to_owned()))
    }
    async fn deprovision(
        &self,
        _: DeprovisionRequest<Pro, String>,
        _: &Operation<String>,
    ) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Bind<Pro> for Kv {
    type Output = Endpoints;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Pro, String>, _: &Operation) -> Result<Bound<Endpoints>, BindError> {
        Ok(Bound::new(Endpoints(Vec::new()), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Pro, String>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv, Queue);
