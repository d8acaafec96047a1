//! A default is no value of the enum.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters(rename_all = "lowercase")]
pub enum Speed {
    Slow,
    Fast,
}

#[parameters]
pub struct New {
    #[param(default = "fsat")]
    pub speed: Speed,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
