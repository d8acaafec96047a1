//! Defaults, or elements of them, or examples do not match the pattern.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
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

fn main() {}
