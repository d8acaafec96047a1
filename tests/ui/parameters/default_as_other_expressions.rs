//! Defaults are calls of methods and macros, and a tuple.

use osb_runtime::prelude::*;

/// The parameters of a new store.
#[parameters]
pub struct NewStore {
    /// Where it is.
    #[param(default = "eu".to_owned())]
    pub region: String,
    /// The name.
    #[param(default = format!("a{}", 1))]
    pub name: String,
    /// The size.
    #[param(default = 2 * 3)]
    pub size: u32,
    /// Users.
    #[param(default = ("a", "b"))]
    pub users: Vec<String>,
}

fn main() {}
