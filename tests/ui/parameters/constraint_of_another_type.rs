//! Constraints apply to other types than that of the field.
#![deny(warnings)]
use osb_runtime::prelude::*;

// Mistake: `items` on a string.
#[parameters]
pub struct Name {
    #[param(items(length(max = 1)))]
    pub name: String,
}

// Mistake: `length` on a number.
#[parameters]
pub struct Ttl {
    #[param(length(max = 5))]
    pub ttl: u32,
}

// Mistake: A flag has no length.
#[parameters]
pub struct Encrypted {
    #[param(length(max = 5))]
    pub encrypted: bool,
}

// Mistake: A pattern on a boolean.
#[parameters]
pub struct On {
    #[param(pattern = "^a$")]
    pub on: bool,
}

// Mistake: `range` on a list.
#[parameters]
pub struct Ports {
    #[param(range(max = 5))]
    pub ports: Vec<u8>,
}

// Mistake: A map is `unique`.
#[parameters]
pub struct Labels {
    #[param(unique)]
    pub labels: std::collections::BTreeMap<String, String>,
}

// Mistake: `unique` on a number.
#[parameters]
pub struct Keys {
    #[param(unique)]
    pub keys: u32,
}

// Mistake: `range` on a string.
#[parameters]
pub struct Owner {
    #[param(range(min = 1))]
    pub name: String,
}

const _: &[u8] = <Owner as Parameters>::JSON;

pub type Text = String;

// Mistake: A range on an alias of a string.
#[parameters]
pub struct Place {
    #[param(range(min = 1))]
    pub place: Text,
}

fn main() {}
