//! A type contains itself.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct Tree {
    pub children: Vec<Tree>,
}

pub fn used(tree: Tree) -> usize {
    tree.children.len()
}

fn main() {}
