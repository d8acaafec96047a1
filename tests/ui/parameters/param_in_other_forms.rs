//! `param` has no arguments or a value, a path or another name, or is in a `cfg_attr`; or its constraints of elements have no name, are a value, or lack `range` around them.
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

#[parameters]
pub struct NewList {
    // Mistake: The constraint of elements has no name, or the list is a value.
    #[param(items("email"))]
    pub alerts: Vec<String>,
    #[param(items = "^[a-z]+$")]
    pub hosts: Vec<String>,
    // Mistake: The bounds of elements are not in `range`.
    #[param(items(min = 1_024, max = 65_535))]
    pub ports: Vec<u16>,
    // Mistake: The constraints of elements stand after an equals sign.
    #[param(items = (format = "email"))]
    pub users: Vec<String>,
    // Mistake: The constraints of elements are in `param`.
    #[param(items(param(format = "email")))]
    pub admins: Vec<String>,
    // Mistake: A range has no name.
    #[param(1..=10)]
    pub size: u32,
    // Mistake: A second value stands after a semicolon.
    #[param(example = 1; 2)]
    pub copies: u32,
}

fn main() {}
