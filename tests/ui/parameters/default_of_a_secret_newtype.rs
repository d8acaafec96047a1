//! A field of a secret type has a default.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Password(#[param(secret)] String);

#[parameters]
pub struct New {
    #[param(default = "hunter2")]
    pub password: Password,
}

fn main() {}
