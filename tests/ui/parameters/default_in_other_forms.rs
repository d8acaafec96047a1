//! Defaults are in parentheses, `None` or `Some(..)`, have no value or half of one, or keys without quotes.
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

fn main() {}
