//! A default has a member that is secret, or is that of a secret type.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Login {
    pub user: String,
    #[param(secret)]
    pub password: String,
}

#[parameters]
pub struct Password(#[param(secret)] String);

#[parameters]
pub struct New {
    // Mistake: A default has a member that is secret.
    #[param(default = {"user": "root", "password": "hunter2"})]
    pub login: Login,
    // Mistake: A field of a secret type has a default.
    #[param(default = "hunter2")]
    pub password: Password,
}

fn main() {}
