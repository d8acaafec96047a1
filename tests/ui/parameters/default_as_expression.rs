//! Defaults are written as expressions of Rust.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Those who may read it.
    #[param(default = vec!["root"])]
    pub readers: Vec<String>,
    /// Its labels.
    #[param(default = BTreeMap::new())]
    pub labels: std::collections::BTreeMap<String, String>,
    /// Where it is.
    #[param(default = String::from("eu"))]
    pub region: String,
    /// Where its copies are.
    #[param(default = [Region::Us])]
    pub copies: Vec<Region>,
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

fn main() {}
