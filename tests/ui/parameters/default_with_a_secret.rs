//! A default has a member that is secret.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Login {
    pub user: String,
    #[param(secret)]
    pub password: String,
}

#[parameters]
pub struct New {
    #[param(default = {"user": "root", "password": "hunter2"})]
    pub login: Login,
}

fn main() {}
