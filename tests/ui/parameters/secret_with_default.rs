//! A secret has a default.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct NewStore {
    /// The administrator's password.
    #[param(secret, length(min = 8), default = "change-me")]
    pub password: String,
}

fn main() {}
