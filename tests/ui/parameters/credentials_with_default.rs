//! A field of credentials has a default.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    #[param(default = "x")]
    pub uri: String,
}

pub fn used(access: Access) -> String {
    format!("{access:?}")
}

fn main() {}
