//! The output of a binding is a tuple with a tuple in it.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

impl Bind<Free> for Kv {
    type Output = (LogDrain, (RouteService, Endpoints));
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Free, (), ()>, _: &Operation<()>) -> Result<Bound<Self::Output>, BindError> {
        Err(BindError::unexpected("not yet"))
    }
    async fn unbind(&self, _: UnbindRequest<Free, (), ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

fn main() {}
