//! Attributes and derives of serde and schemars stand in place of ours, or beside them.
#![deny(warnings)]
use osb_runtime::prelude::*;
use serde::Deserialize;

// Mistake: serde's `rename` instead of ours.
#[parameters]
#[serde(rename_all = "camelCase")]
#[derive(Debug)]
pub struct Renamed {
    #[serde(rename = "TTL", alias = "ttk")]
    pub ttl: u32,
}

// Mistake: serde's `untagged`.
#[parameters]
#[serde(untagged)]
pub enum Size {
    Small,
    Large,
}

// Mistake: Several words of serde stand in one attribute.
#[parameters]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Source {
    Empty,
    Backup { id: String },
}

// Mistake: serde's `flatten`.
#[parameters]
pub struct Flattened {
    pub ttl: u32,
    #[serde(flatten)]
    pub more: More,
}

// Mistake: schemars' attribute instead of ours.
#[parameters]
pub struct More {
    #[schemars(range(min = 1))]
    pub size: u8,
}

// Mistake: `Deserialize` is derived beside the attribute.
#[parameters]
#[derive(Debug, Deserialize)]
pub struct Derived {
    pub ttl: u32,
}

// Mistake: Both of serde's traits, and schemars' one, are derived beside the attribute.
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

// Mistake: serde's `rename_all` is on credentials.
#[credentials]
#[serde(rename_all = "camelCase")]
pub struct Key {
    pub api_key: String,
}

pub fn used(new: New, access: Access) -> (u32, String) {
    (new.ttl, access.password)
}

fn main() {}
