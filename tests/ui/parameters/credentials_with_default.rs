//! A field of credentials has a default, or is flattened.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    #[param(default = "x")]
    pub uri: String,
    #[param(flatten)]
    pub host: String,
}

pub fn used(access: Access) -> String {
    format!("{access:?}")
}

fn main() {}
