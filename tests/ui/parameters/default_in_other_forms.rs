//! Defaults are in parentheses, `None` or `Some(..)`, expressions of Rust, have no value or half of one, or keys without quotes.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: A default in parentheses.
    #[param(default(10))]
    pub size_gb: u32,
    #[param(default = ("eu - west"))]
    pub place: String,
    // Mistake: A default has single quotes.
    #[param(default = 'eu')]
    pub zone: String,
    // Mistake: The default of an `Option` is `None`.
    #[param(default = None)]
    pub absent: Option<u32>,
    // Mistake: The default of an `Option` is `Some(..)`.
    #[param(default = Some(60))]
    pub present: Option<u32>,
    // Mistake: A default without a value.
    #[param(default)]
    pub ttl: u32,
    // Mistake: An argument is incomplete.
    #[param(range(min = 1), default = )]
    pub keys: u32,
    // Mistake: The keys of a JSON object have no quotes.
    #[param(default = { color: "blue" })]
    pub labels: std::collections::BTreeMap<String, String>,
    // Mistake: The default of an enum has no quotes.
    #[param(default = eu)]
    pub region: Region,
}

/// A region.
#[parameters(rename_all = "lowercase")]
pub enum Region {
    /// Frankfurt.
    Eu,
}

#[parameters]
pub struct Expressions {
    // Mistake: Defaults are written as expressions of Rust.
    #[param(default = vec!["root"])]
    pub readers: Vec<String>,
    #[param(default = BTreeMap::new())]
    pub labels: std::collections::BTreeMap<String, String>,
    #[param(default = String::from("eu"))]
    pub region: String,
    #[param(default = [Site::Us])]
    pub copies: Vec<Site>,
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
    #[param(default = { day = "sunday" })]
    pub restart: Window,
    #[param(default = { r#type = "weekly" })]
    pub rhythm: Window,
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
pub enum Site {
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
