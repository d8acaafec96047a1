//! Arguments or names are there twice, a default is a list without brackets or that of a secret, or a type contains itself.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(default = 1, default = 2)]
    pub keys: u32,
    #[param(default = "a", "b")]
    pub readers: Vec<String>,
    pub ttl: u32,
    #[param(rename = "ttl")]
    pub time_to_live: u32,
    #[param(secret, length(min = 8), default = "change-me")]
    pub password: String,
}

#[credentials(type = "postgresql")]
pub struct Access {
    #[param(rename = "type")]
    pub kind: String,
}

#[parameters]
pub struct Tree {
    pub children: Vec<Tree>,
}

pub fn used(new: New, tree: Tree) -> usize {
    new.readers.len() + tree.children.len()
}

fn main() {}
