//! Patterns are wildcards of a shell, stand between slashes, or have a class, group or repetition that is not complete.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: A wildcard of a shell.
    #[param(pattern = "^*.example.com$")]
    pub hosts: String,
    // Mistake: A pattern has the slashes of another language.
    #[param(pattern = "/^[a-z]+$/")]
    pub name: String,
    // Mistake: A class and a group that do not end.
    #[param(pattern = "^[a-z+$")]
    pub word: String,
    #[param(pattern = "^(a|b$")]
    pub zone: String,
    // Mistake: A repetition in a pattern has only its largest number.
    #[param(pattern = "^[a-z]{,62}$")]
    pub label: String,
}

fn main() {}
