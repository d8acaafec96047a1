//! Defaults, or their elements, are not in their format.
#![deny(warnings)]
use osb_runtime::prelude::*;
use std::net::Ipv6Addr;

// Mistake: A default is not in its format.
#[parameters]
pub struct Listen {
    #[param(format = "ipv4", default = "300.1.1.1")]
    pub listen: String,
}

// Mistake: An element of a default is not in its format.
#[parameters]
pub struct Hooks {
    #[param(items(format = "uri"), default = ["https://example.com/{id}"])]
    pub hooks: Vec<String>,
}

// Mistake: The default of an address is none.
#[parameters]
pub struct Address {
    #[param(default = "fe80::1::2")]
    pub address: Ipv6Addr,
}

fn main() {}
