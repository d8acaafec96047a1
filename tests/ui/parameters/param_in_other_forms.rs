//! `param` has no arguments or a value, a path or another name, or is in a `cfg_attr`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param = "secret"]
    pub password: String,
    #[param = 3]
    pub replicas: u32,
    #[cfg_attr(unix, param(range(min = 1)))]
    pub ttl: u32,
    #[parameter(range(min = 1))]
    pub keys: u32,
    #[osb_runtime::param(range(min = 1))]
    pub size: u32,
    #[param]
    pub files: u32,
}

fn main() {}
