//! What `#[parameters]` makes of a type: its document, its checks, its update type.

use std::collections::BTreeMap;

use osb_runtime::{prelude::*, schema};
use serde_json::{Value, json};

const MOST: u32 = 86_400;

/// What a user may choose when creating a store.
///
/// A second paragraph.
#[parameters(partial = StoreChanges)]
#[derive(Debug, Clone, PartialEq)]
struct NewStore {
    /// Seconds after which a key expires.
    #[param(range(min = 1, max = MOST), default = 3_600)]
    ttl: u32,
    /// Prefix of the store's keys; fixed once chosen.
    #[param(pattern = "^[a-z][a-z0-9-]{0,31}$", immutable)]
    prefix: Option<String>,
    #[param(range(exclusive_min = 0, max = 1.5), multiple_of = 0.25)]
    ratio: f64,
    #[param(length(min = 1, max = 3), unique, items(length(max = 5)), default = ["a"], rename = "the-tags")]
    tags: Vec<String>,
    limits: Limits,
    #[param(default = "fast")]
    speed: Speed,
    labels: BTreeMap<String, Option<u8>>,
    #[param(secret, length(min = 8))]
    password: Option<String>,
    backup: Option<Backup>,
    r#type: Port,
}

/// Bounds.
#[parameters(partial = LimitChanges, rename_all = "camelCase")]
#[derive(Debug, Clone, PartialEq)]
struct Limits {
    #[param(default = -1, example = 7)]
    max_keys: i64,
    ip: Option<std::net::Ipv4Addr>,
}

#[parameters(rename_all = "kebab-case")]
#[derive(Debug, Clone, Copy, PartialEq)]
enum Speed {
    /// Slow.
    Slow,
    Fast,
    VeryFast,
}

#[parameters(tag = "kind", rename_all = "snake_case")]
#[derive(Debug, Clone, PartialEq)]
enum Backup {
    None,
    /// To a bucket.
    Bucket {
        #[param(format = "uri")]
        url: String,
        #[param(default = 7)]
        days: u8,
        #[param(secret)]
        key: Option<String>,
    },
}

/// A port.
#[parameters]
#[derive(Debug, Clone, Copy, PartialEq)]
struct Port(#[param(range(min = 1024))] u16);

fn document<T: Parameters>() -> Value {
    serde_json::from_slice(T::JSON).unwrap()
}

#[test]
fn the_document_says_what_the_type_says() {
    println!("{}", serde_json::to_string_pretty(&document::<NewStore>()).unwrap());
    println!("{}", serde_json::to_string_pretty(&document::<StoreChanges>()).unwrap());
    let v = schema::decode::<NewStore>(&json!({"limits": {}, "ratio": 0.5, "labels": {}, "type": 1024})).unwrap();
    println!("{v:?}");
    for x in schema::decode::<NewStore>(&json!({"ttl": 0, "ttk": 5, "prefix": null, "password": "abc", "ratio": 1.6, "limits": {"maxKeys": 1.5}, "the-tags": ["a","a","bbbbbbbb", 3], "speed": "slwo", "backup": {"kind": "bucket", "url": "x", "key": 5}, "type": 4})).unwrap_err() { println!("{x}"); }
}
