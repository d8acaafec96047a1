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
    #[param(default = {"user": "root", "password": "hunter2"})]
    pub login: Login,
    #[param(default = "hunter2")]
    pub password: Password,
}

fn main() {}
