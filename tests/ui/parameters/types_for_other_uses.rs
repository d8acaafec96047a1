//! Fields have types whose values belong to one machine, one moment or one owner.
#![deny(warnings)]
use osb_runtime::prelude::*;

#[parameters]
pub struct New {
    // Mistake: A field is a `Duration`.
    pub ttl: std::time::Duration,
    // Mistake: A field is a `SystemTime`.
    pub until: Option<std::time::SystemTime>,
    // Mistake: A field is a path of this machine.
    pub path: std::path::PathBuf,
    // Mistake: A field is a `Result`.
    pub result: Result<u8, String>,
    // Mistake: A field is a tuple.
    pub range: (u8, u8),
    // Mistake: A field is an `Arc`.
    pub region: std::sync::Arc<String>,
    // Mistake: A field is an `Arc<str>`.
    pub name: std::sync::Arc<str>,
    // Mistake: An `Option` is in an `Option`.
    pub comment: Option<Option<String>>,
    // Mistake: An `Option` is in a `Box`, an array or a map.
    pub prefix: Box<Option<String>>,
    pub replicas: [Option<u8>; 2],
    pub labels: std::collections::BTreeMap<String, Option<String>>,
    // Mistake: A field is a reference without a lifetime.
    pub place: Option<&str>,
    // Mistake: A field is a slice.
    pub readers: &[String],
    // Mistake: Floats have no order, so that a set can't have them.
    pub shares: Option<std::collections::BTreeSet<f64>>,
    // Mistake: A field has 128 bits.
    pub bits: u128,
    // Mistake: An array is longer than those that serde reads.
    pub key: [u8; 64],
    pub salt: [u8; 33],
}

fn main() {}
