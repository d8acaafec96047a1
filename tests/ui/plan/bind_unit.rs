//! The parameters of bindings are `()`.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bind = ())]
pub struct Free;

provisions!(Kv);

impl Bind<Free> for Kv {
    type BindingState = ();
    type Output = LogDrain;
    async fn bind(&self, _: BindRequest<Free, ()>, _: &Operation<()>) -> Result<Bound<LogDrain>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Free, ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

fn main() {}
