//! `Bind` is implemented for the plan, and not for the service.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = Size, bindable)]
pub struct Free;

/// The size of a store.
#[parameters]
pub struct Size {
    /// Megabytes.
    pub size: u32,
}

impl Provision<Free> for Kv {
    type State = u32;
    async fn provision(&self, request: ProvisionRequest<Free>, _: &Operation<u32>) -> Result<Provisioned<u32>, ProvisionError> {
        Ok(Provisioned::new(request.parameters.size))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free, u32>, _: &Operation<u32>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Bind<Kv> for Free {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Kv, u32, ()>, _: &Operation<()>) -> Result<Bound<LogDrain, ()>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Kv, u32, ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

/// The broker.
#[broker]
pub struct Broker {
    kv: Kv,
}

fn main() {}
