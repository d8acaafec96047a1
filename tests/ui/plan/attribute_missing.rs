//! A plan has no attribute, and many handlers name it: only one error.

use osb_runtime::prelude::*;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro), changes(Free => Pro))]
pub struct Kv;

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = Size)]
pub struct Free;

/// 1 GB.
pub struct Pro;

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

impl Provision<Pro> for Kv {
    type State = u32;
    async fn provision(&self, request: ProvisionRequest<Pro>, _: &Operation<u32>) -> Result<Provisioned<u32>, ProvisionError> {
        Ok(Provisioned::new(request.parameters.size))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Pro, u32>, _: &Operation<u32>) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Bind<Pro> for Kv {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Pro, u32, ()>, _: &Operation<()>) -> Result<Bound<LogDrain, ()>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Pro, u32, ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

impl Update<Pro> for Kv {
    async fn update(&self, request: UpdateRequest<Pro, Pro, u32>, _: &Operation<u32>) -> Result<Updated<u32>, UpdateError> {
        Ok(Updated::new(request.state))
    }
}

impl ChangePlan<Free, Pro> for Kv {
    async fn change_plan(&self, request: UpdateRequest<Free, Pro, u32>, _: &Operation<u32>) -> Result<Updated<u32>, UpdateError> {
        Ok(Updated::new(request.state + request.parameters.size))
    }
}

#[broker]
pub struct Broker(Kv);

fn main() {}
