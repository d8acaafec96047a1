//! A type of parameters has a type parameter, and plans use it.

use osb_runtime::prelude::*;

/// Parameters.
#[parameters]
pub struct NewStore<T> {
    /// Seconds after which a key expires.
    pub ttl: Option<T>,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, bind = NewStore<u8>)]
pub struct Free;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

impl Provision<Free> for Kv {
    type State = ();
    async fn provision(&self, request: ProvisionRequest<Free>, _: &Operation) -> Result<Provisioned, ProvisionError> {
        let _ = request.parameters.ttl;
        Ok(Provisioned::new(()))
    }
    async fn deprovision(&self, _: DeprovisionRequest<Free>, _: &Operation) -> Result<(), DeprovisionError> {
        Ok(())
    }
}

impl Bind<Free> for Kv {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Free, ()>, _: &Operation) -> Result<Bound<LogDrain>, BindError> {
        Err("not yet".into())
    }
    async fn unbind(&self, _: UnbindRequest<Free, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

fn main() {}
