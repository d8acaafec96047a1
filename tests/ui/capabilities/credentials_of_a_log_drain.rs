//! A log drain is an output itself, and no credentials.

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
    type Output = Credentials<LogDrain>;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Free, (), ()>, _: &Operation<()>) -> Result<Bound<Self::Output, ()>, BindError> {
        Ok(Bound::new(Credentials(LogDrain::new("https://logs.example.com")?), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Free, (), ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

fn main() {}
