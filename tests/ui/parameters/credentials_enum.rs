//! Credentials are an enum.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub enum Access {
    Uri { uri: String },
}

pub fn used(_: Access) {}

fn main() {}
