//! A field of a service is a trait object that other threads can't use, and the service has all handlers of its plan.

use osb_runtime::prelude::*;

include!("../case.rs");

/// A backend.
pub trait Backend {}

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv {
    field: Box<dyn Backend>,
}

/// 10 MB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

/// The credentials.
#[credentials]
pub struct Access {
    /// Where the store is.
    uri: String,
}

provisions!(Kv);

impl Bind<Free> for Kv {
    type Output = Credentials<Access>;
    type BindingState = ();

    async fn bind(&self, _: BindRequest<Free>, _: &Operation) -> Result<Bound<Credentials<Access>>, BindError> {
        Ok(Bound::new(Credentials(Access { uri: String::new() }), ()))
    }

    async fn unbind(&self, _: UnbindRequest<Free>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}

#[broker]
pub struct Broker(Kv);
