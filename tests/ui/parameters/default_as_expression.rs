//! Defaults are written as expressions of Rust.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: Defaults are written as expressions of Rust.
    #[param(default = vec!["root"])]
    pub readers: Vec<String>,
    #[param(default = BTreeMap::new())]
    pub labels: std::collections::BTreeMap<String, String>,
    #[param(default = String::from("eu"))]
    pub region: String,
    #[param(default = [Region::Us])]
    pub copies: Vec<Region>,
    // Mistake: Defaults are calls of methods and macros, and a tuple.
    #[param(default = "eu".to_owned())]
    pub zone: String,
    #[param(default = format!("a{}", 1))]
    pub name: String,
    #[param(default = 2 * 3)]
    pub size: u32,
    #[param(default = ("a", "b"))]
    pub users: Vec<String>,
    // Mistake: Defaults as an expression of Rust, and with `=` in an object.
    #[param(default = Window { day: "sunday" })]
    pub window: Window,
    #[param(default = { "day" = "sunday" })]
    pub pause: Window,
    #[param(default = ',')]
    pub separator: String,
    // Mistake: The default of a list of strings has characters.
    #[param(default = ['c', 'd'])]
    pub drives: Vec<String>,
    // Mistake: Defaults are a reference, `json!` and the default of the type.
    #[param(default = &["root,admin"])]
    pub owners: Vec<String>,
    #[param(default = serde_json::json!(["eu - west"]))]
    pub editors: Vec<String>,
    #[param(default = Default::default())]
    pub retries: u32,
}

/// A region.
#[parameters]
#[derive(Debug, Clone)]
pub enum Region {
    /// Frankfurt.
    Eu,
    /// Virginia.
    Us,
}

/// When a store may restart.
#[parameters]
pub struct Window {
    /// The day.
    pub day: String,
}

fn main() {}
