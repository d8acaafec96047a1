//! `param` has no arguments or a value, a path or another name, or is in a `cfg_attr`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: An argument is the value of `param`.
    #[param = "secret"]
    pub password: String,
    #[param = 3]
    pub replicas: u32,
    // Mistake: `param` is in a `cfg_attr`.
    #[cfg_attr(unix, param(range(min = 1)))]
    pub ttl: u32,
    // Mistake: `param` is called `parameter`.
    #[parameter(range(min = 1))]
    pub keys: u32,
    // Mistake: `param` has a path.
    #[osb_runtime::param(range(min = 1))]
    pub size: u32,
    // Mistake: `param` has a comma too many.
    #[param(range(min = 1),, default = 2)]
    pub copies: u32,
    // Mistake: `param` has no arguments.
    #[param]
    pub files: u32,
}

fn main() {}
