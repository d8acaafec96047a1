//! Attributes of types have names that are nearly right: only one error about each.

use osb_runtime::prelude::*;

include!("../case.rs");

// Mistake: Parameters are under `#[parameter]`.
/// The parameters of a new store.
#[parameter]
pub struct NewStore {
    /// Days after which a key expires.
    #[param(default = 7)]
    pub days: u16,
}

/// The parameters of a binding.
#[parameter(rename_all = "camelCase")]
pub struct Access {
    /// Restricts the token to reading.
    #[param(default = false)]
    pub read_only: bool,
}

// Mistake: Credentials are under `#[credential]`.
/// The credentials of a binding.
#[credential]
pub struct KvAccess {
    /// URI of the store.
    #[param(public)]
    pub uri: String,
}

/// 10 MB, for trying things out.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "free", create = NewStore, bind = Access)]
pub struct Free;

/// 1 GB.
#[plan(id = "8a4a2b58-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "pro", create = NewStore, bind = Access)]
pub struct Pro;

/// A store.
#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", plans(Free, Pro))]
pub struct Kv;

provisions!(Kv);

impl<P: Bindable> Bind<P> for Kv {
    type Output = Credentials<KvAccess>;
    type BindingState = ();
    async fn bind(&self, _: BindRequest<P>, _: &Operation) -> Result<Bound<Credentials<KvAccess>>, BindError> {
        Ok(Bound::new(Credentials(KvAccess { uri: "https://kv.example.com".to_owned() }), ()))
    }
    async fn unbind(&self, _: UnbindRequest<P>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}
