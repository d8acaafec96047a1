//! An element of a default is not in its format.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    #[param(items(format = "uri"), default = ["https://example.com/{id}"])]
    pub hooks: Vec<String>,
}

const _: &[u8] = <New as Parameters>::JSON;

fn main() {}
