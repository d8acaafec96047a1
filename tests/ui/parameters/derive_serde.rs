//! Both of serde's traits, and schemars' one, are derived beside the attribute.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct New {
    pub ttl: u32,
}

#[credentials]
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Access {
    pub password: String,
}

pub fn used(new: New, access: Access) -> (u32, String) {
    (new.ttl, access.password)
}

fn main() {}
