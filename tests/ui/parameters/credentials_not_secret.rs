//! A field of credentials is `secret = false`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    #[param(secret = false)]
    pub uri: String,
}

pub fn used(access: Access) -> String {
    format!("{access:?}")
}

fn main() {}
