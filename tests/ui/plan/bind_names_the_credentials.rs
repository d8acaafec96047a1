//! Credentials are named as the parameters of bindings, and their fields are used.
#![deny(warnings)]
use osb_runtime::prelude::*;

include!("../case.rs");

#[service(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a01", name = "kv", description = "A store.", plans(Free))]
pub struct Kv;

#[plan(id = "3f1f9d0e-54a5-4a3c-9e0a-6b1c4f6f5a02", name = "free", description = "Free.", bind = Login)]
pub struct Free;

#[parameters]
pub struct LoginOptions {
    /// The login only reads.
    pub read_only: bool,
}

#[credentials]
pub struct Login {
    /// The name of the login.
    pub user: String,
}

provisions!(Kv);

impl Bind<Free> for Kv {
    type Output = Credentials<Login>;
    type BindingState = ();
    async fn bind(&self, request: BindRequest<Free, ()>, _: &Operation) -> Result<Bound<Credentials<Login>>, BindError> {
        let user = if request.parameters.read_only { "reader" } else { "writer" };
        Ok(Bound::new(Credentials(Login { user: user.to_owned() }), ()))
    }
    async fn unbind(&self, _: UnbindRequest<Free, ()>, _: &Operation) -> Result<(), UnbindError> {
        Ok(())
    }
}
