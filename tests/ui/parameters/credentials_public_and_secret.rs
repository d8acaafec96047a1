//! A field of credentials is `public` and `secret`.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    #[param(public, secret)]
    pub uri: String,
}

pub fn used(access: Access) -> String {
    format!("{access:?}")
}

fn main() {}
