//! The default of an address is none.
#![deny(warnings)]
use osb_runtime::prelude::*;
use std::net::Ipv6Addr;

#[parameters]
pub struct New {
    #[param(default = "fe80::1::2")]
    pub listen: Ipv6Addr,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
