//! Credentials are under `#[parameters]`.

use osb_runtime::prelude::*;

/// The credentials of a store.
#[parameters]
pub struct Login {
    /// The user.
    #[param(public)]
    pub user: String,
    /// The password.
    pub password: String,
}

/// Returns the output of a binding.
pub fn output(login: Login) -> impl osb_runtime::service::BindingOutput {
    Credentials(login)
}

fn main() {}
