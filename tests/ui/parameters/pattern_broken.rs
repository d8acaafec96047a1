//! Patterns are wildcards of a shell, stand between slashes, have an escape of the string or a part that is not complete, or are expressions; or defaults and examples do not match them.
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

#[parameters]
pub struct Expressions {
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

#[parameters]
pub struct Defaults {
    // Mistake: A default does not match the pattern.
    #[param(pattern = "^[a-z]+$", default = "A")]
    pub name: String,
    // Mistake: Elements of defaults do not match the pattern of elements.
    #[param(items(pattern = "^[a-z]+$"), default = ["a", "B"])]
    pub readers: Vec<String>,
    #[param(items(pattern = "^[a-z]+$"), default = { "a": "b", "c": "D" })]
    pub labels: std::collections::BTreeMap<String, String>,
    // Mistake: An example does not match the pattern.
    #[param(pattern = "^[a-z]+$", examples("a", "B"))]
    pub owner: String,
}

// Mistake: The backslash of a pattern is an escape of the string.
/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// The name.
    #[param(pattern = "^\d+$")]
    pub name: String,
}

fn main() {}
