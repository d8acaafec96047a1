//! `Debug` is derived by a type with a secret, and not by the type of its field, or above the attribute.

use osb_runtime::prelude::*;

// Mistake: `Debug` is derived by a type with a secret, and not by the type of its field.
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

// Mistake: `Debug` is derived above the attribute, and there is a secret.
#[derive(Debug)]
#[parameters]
pub struct Above {
    pub ttl: u32,
    #[param(secret)]
    pub password: String,
}

pub fn used(above: Above) -> u32 {
    above.ttl
}

const _: &[u8] = <Above as Parameters>::JSON;

fn main() {}
