//! Constraints apply to other types than that of the field.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Name {
    #[param(items(length(max = 1)))]
    pub name: String,
}

#[parameters]
pub struct Ttl {
    #[param(length(max = 5))]
    pub ttl: u32,
}

#[parameters]
pub struct Encrypted {
    #[param(length(max = 5))]
    pub encrypted: bool,
}

#[parameters]
pub struct On {
    #[param(pattern = "^a$")]
    pub on: bool,
}

#[parameters]
pub struct Ports {
    #[param(range(max = 5))]
    pub ports: Vec<u8>,
}

#[parameters]
pub struct Labels {
    #[param(unique)]
    pub labels: std::collections::BTreeMap<String, String>,
}

#[parameters]
pub struct Keys {
    #[param(unique)]
    pub keys: u32,
}

fn main() {}
