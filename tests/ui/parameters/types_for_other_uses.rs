//! Fields have types whose values belong to one machine, one moment or one owner.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    pub ttl: std::time::Duration,
    pub until: Option<std::time::SystemTime>,
    pub path: std::path::PathBuf,
    pub result: Result<u8, String>,
    pub range: (u8, u8),
    pub region: std::sync::Arc<String>,
    pub name: std::sync::Arc<str>,
    pub comment: Option<Option<String>>,
    pub prefix: Box<Option<String>>,
    pub replicas: [Option<u8>; 2],
    pub labels: std::collections::BTreeMap<String, Option<String>>,
    pub place: Option<&str>,
    pub shares: Option<std::collections::BTreeSet<f64>>,
    pub bits: u128,
    pub key: [u8; 64],
}

fn main() {}
