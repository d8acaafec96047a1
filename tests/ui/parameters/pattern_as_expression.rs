//! Patterns are expressions.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: Patterns are expressions.
    #[param(pattern = "^a$".to_owned())]
    pub name: String,
    #[param(pattern = ("^b$"))]
    pub region: String,
    #[param(pattern = zone())]
    pub zone: String,
    // Mistake: The pattern is a compiled one.
    #[param(pattern = Regex::new("^[a-z]+$"))]
    pub owner: String,
    // Mistake: A pattern has no quotes.
    #[param(pattern = ^[a-z]+$)]
    pub place: String,
}

fn main() {}
