//! Credentials have a partial type.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials(partial = Changes)]
pub struct Access {
    pub uri: String,
}

pub fn used(_: Access) {}

fn main() {}
