//! Defaults, or their elements, are not in their format.
#![deny(warnings)]
use osb_runtime::prelude::*;
use std::net::Ipv6Addr;

#[parameters]
pub struct Listen {
    #[param(format = "ipv4", default = "300.1.1.1")]
    pub listen: String,
}

#[parameters]
pub struct Hooks {
    #[param(items(format = "uri"), default = ["https://example.com/{id}"])]
    pub hooks: Vec<String>,
}

#[parameters]
pub struct Address {
    #[param(default = "fe80::1::2")]
    pub address: Ipv6Addr,
}

fn main() {}
