//! A map, a list and an optional field lack a type argument.

use osb_runtime::prelude::*;

#[parameters(partial = Changes)]
pub struct New {
    pub labels: std::collections::HashMap<String>,
    pub alarms: Option<Vec>,
    pub owner: Option,
}

fn main() {}
