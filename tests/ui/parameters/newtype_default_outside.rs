//! A field's default is outside its newtype's range.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Port(#[param(range(min = 1024))] pub u16);

#[parameters]
pub struct New {
    #[param(default = 80)]
    pub port: Port,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
