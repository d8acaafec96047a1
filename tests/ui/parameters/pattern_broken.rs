//! Patterns are wildcards of a shell, stand between slashes, or have a class, group or repetition that is not complete.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(pattern = "^*.example.com$")]
    pub hosts: String,
    #[param(pattern = "/^[a-z]+$/")]
    pub name: String,
    #[param(pattern = "^[a-z+$")]
    pub word: String,
    #[param(pattern = "^(a|b$")]
    pub zone: String,
    #[param(pattern = "^[a-z]{,62}$")]
    pub label: String,
}

fn main() {}
