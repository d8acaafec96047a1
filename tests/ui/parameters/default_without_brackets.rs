//! The default of a list is one of its elements.

use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(default = "eu")]
    pub regions: Vec<String>,
}

fn main() {}
