//! Warning: bindings can be fetched, but the only bindable plan is retired.

#![deny(deprecated)]

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Old), bindings_retrievable)]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free")]
pub struct Free;

/// The plan of an earlier release.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "old", bindable, retired)]
pub struct Old;

impl Bind<Old> for Kv {
    type Output = Endpoints;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Old, (), ()>, _: &Operation<()>) -> Result<Bound<Endpoints>, BindError> {
        Ok(Bound::new(Endpoints(Vec::new()), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Old, (), ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

fn main() {}
