//! A pattern has the slashes of another language.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(pattern = "/^[a-z]+$/")]
    pub name: String,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
