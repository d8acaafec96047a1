//! `Bind` is for any plan, and `Provision` for one.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

impl Provision<Free> for Kv {
    provision_items!(Free);
}

impl<P: Bindable> Bind<P> for Kv {
    type Output = LogDrain;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<P, ()>, _: &Operation) -> Result<Bound<LogDrain>, BindError> {
        Ok(Bound::new(LogDrain::from_static("syslog-tls://logs.example.com:6514"), ()))
    }
    async fn unbind(&self, _: UnbindRequest<P, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv);
