//! Words for the fields of credentials that belong to parameters, or to other crates.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[credentials]
pub struct Access {
    #[param(hidden, required)]
    pub uri: String,
    #[param(type = "kv", optional)]
    pub kind: String,
    #[param(secret = false)]
    pub user: String,
    #[param(public, secret)]
    pub host: String,
    #[param(skip_debug)]
    pub password: String,
    #[param(default = "x")]
    pub port: String,
    #[param(flatten)]
    pub path: String,
}

fn main() {}
