//! `Debug` is derived by a type with a secret, and not by the type of its field.

use osb_runtime::prelude::*;

/// A new store.
#[parameters]
#[derive(Debug)]
pub struct New {
    pub quota: Quota,
    #[param(secret)]
    pub password: String,
}

/// The limits of a store.
#[parameters]
pub struct Quota {
    pub files: u32,
}

fn main() {}
