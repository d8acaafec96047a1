//! A field's range is wider than its newtype's.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Port(#[param(range(min = 1024))] pub u16);

#[parameters]
pub struct New {
    #[param(range(min = 80), default = 443)]
    pub ttl: Port,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
