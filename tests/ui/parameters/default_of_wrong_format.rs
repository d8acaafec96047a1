//! A default is not in its format.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(format = "ipv4", default = "300.1.1.1")]
    pub listen: String,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
