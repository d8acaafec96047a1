//! Attributes and derives of serde and schemars stand in place of ours, or beside them, as do words that belong elsewhere.
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

// Mistake: Words that belong elsewhere, or have another name, and attributes of other crates.
/// The parameters of a new store.
#[parameters(derive(Clone), patch = Changes, closed, flatten, id = "new-store")]
pub struct NewStore {
    /// Seconds after which a key expires.
    #[cfg_attr(unix, serde(default))]
    pub ttl: u32,
    /// Region of the store.
    #[param(type = "string")]
    pub region: Region,
}

/// A region.
#[parameters]
pub enum Region {
    /// Frankfurt.
    #[value(name = "eu")]
    Eu,
}

/// The credentials of a binding.
#[credentials(secret, public)]
pub struct Users {
    /// Users.
    #[param(unique, items(length(max = 5)), multiple_of = 5)]
    pub users: Vec<String>,
}

// Mistake: A field and a variant have attributes of other crates.
/// The parameters of a new store.
#[parameters]
#[derive(Debug, Clone)]
pub struct NewQueue {
    /// Seconds after which a key expires.
    #[arg(long, default_value_t = 60)]
    pub ttl: u32,
}

/// A region.
#[parameters]
#[derive(Debug, Clone)]
pub enum Place {
    /// Frankfurt.
    #[default]
    Eu,
}

fn main() {}
