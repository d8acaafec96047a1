//! The type of the credentials has no `#[credentials]`.

use osb_runtime::prelude::*;

include!("../handlers.rs");

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free))]
pub struct Kv;

provisions!(Kv);

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", bindable)]
pub struct Free;

/// The credentials of a binding.
pub struct KvAccess {
    /// Where the store is.
    pub uri: String,
}

impl Bind<Free> for Kv {
    type Output = Credentials<KvAccess>;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<Free, (), ()>, _: &Operation<()>) -> Result<Bound<Self::Output, ()>, BindError> {
        Ok(Bound::new(Credentials(KvAccess { uri: String::new() }), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Free, (), ()>, _: &Operation<()>) -> Result<(), UnbindError> {
        Ok(())
    }
}

fn main() {}
