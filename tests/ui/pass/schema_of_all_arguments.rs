//! The schemas have what each argument of `#[parameters]` and `#[param]` says, and values are read accordingly.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::Ipv4Addr,
};

use osb_runtime::{
    prelude::*,
    schema::{CredentialsSchema, Parameters, decode, document},
};
use serde_json::{Value, json};

/// The parameters of a new store.
///
/// All of this is the description.
#[parameters(partial = StoreChanges, rename_all = "camelCase", title = "A store")]
#[derive(Debug, Clone, PartialEq)]
pub struct NewStore {
    /// Seconds.
    #[param(range(min = 1, exclusive_max = 100), multiple_of = 2, default = 60, title = "TTL")]
    pub time_to_live: u32,
    /// A share.
    #[param(range(exclusive_min = 0, max = 1), examples(0.25, 0.5), alias = "portion")]
    pub ratio: f64,
    /// The name.
    #[param(length(min = 1, max = 8), pattern = "^[a-z]+$", immutable)]
    pub name: String,
    /// The door.
    pub address: Option<Ipv4Addr>,
    /// Numbers.
    #[param(length(max = 3), items(range(max = 9)), default = [1, 2])]
    pub numbers: Vec<u8>,
    /// Words.
    #[param(unique)]
    pub words: Vec<String>,
    /// A set.
    pub set: BTreeSet<String>,
    /// Two of them.
    pub pair: [bool; 2],
    /// Labels.
    #[param(items(format = "email"), default = { "owner": "a@example.com" })]
    pub labels: BTreeMap<String, String>,
    /// Where it is.
    #[param(default = "eu-central")]
    pub region: Region,
    /// How it is copied.
    pub copies: Option<Copies>,
    /// The size.
    pub size: Box<Size>,
    /// Not used.
    #[param(rename = "x-flag", description = "A flag.", example = true, secret)]
    pub flag: bool,
}

/// A region.
#[parameters(rename_all = "kebab-case")]
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Region {
    /// Frankfurt.
    #[default]
    EuCentral,
    /// Virginia.
    #[param(rename = "us", description = "USA.")]
    UsEast,
}

/// Copies.
#[parameters(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase", open)]
#[derive(Debug, Clone, PartialEq)]
pub enum Copies {
    /// None.
    Off,
    /// Some.
    On {
        /// How many.
        how_many: u8,
    },
}

/// Megabytes.
#[parameters]
#[derive(Debug, Clone, PartialEq)]
pub struct Size(#[param(range(min = 1))] u32);

/// The access to a store.
#[credentials(type = "mysql", rename_all = "camelCase")]
pub struct Access {
    /// The port.
    pub tcp_port: u16,
    /// The password.
    pub password: Option<String>,
}

/// Ports.
#[parameters]
pub struct Ports {
    /// The ports.
    #[param(default = [{ "number": 80 }], example = [{ "number": 443 }, { "number": 8443 }])]
    pub ports: Vec<Port>,
}

/// A port.
#[parameters]
pub struct Port {
    /// Its number.
    pub number: u16,
}

fn new_store() -> Value {
    json!({ "ratio": 0.5, "name": "kv", "words": ["a"], "set": [], "pair": [true, false], "size": 1, "x-flag": false })
}

/// Returns whether the parameters are accepted with these properties in place of others.
fn accepts(others: Value) -> bool {
    let mut value = new_store();
    let (Some(all), Value::Object(others)) = (value.as_object_mut(), others) else { panic!("objects") };
    all.extend(others);
    decode::<NewStore>(&value).is_ok()
}

pub(super) fn main() {
    let schema: Value = serde_json::from_slice(NewStore::JSON).expect("JSON");
    let copies = json!([
        {
            "type": "object",
            "properties": { "kind": { "type": "string", "enum": ["off"] } },
            "required": ["kind"],
            "description": "None.",
        },
        {
            "type": "object",
            "properties": {
                "kind": { "type": "string", "enum": ["on"] },
                "howMany": { "type": "integer", "minimum": 0, "maximum": 255, "description": "How many." },
            },
            "required": ["kind", "howMany"],
            "description": "Some.",
        },
    ]);
    let expected = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "title": "A store",
        "description": "The parameters of a new store.\n\nAll of this is the description.",
        "additionalProperties": false,
        "required": ["ratio", "name", "words", "set", "pair", "size", "x-flag"],
        "properties": {
            "timeToLive": {
                "type": "integer",
                "minimum": 1,
                "maximum": 100,
                "exclusiveMaximum": true,
                "multipleOf": 2,
                "default": 60,
                "title": "TTL",
                "description": "Seconds.",
            },
            "ratio": {
                "type": "number",
                "minimum": 0,
                "exclusiveMinimum": true,
                "maximum": 1,
                "description": "A share.",
            },
            "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": 8,
                "pattern": "^[a-z]+$",
                "description": "The name.",
            },
            "address": { "type": "string", "format": "ipv4", "description": "The door." },
            "numbers": {
                "type": "array",
                "items": { "type": "integer", "minimum": 0, "maximum": 9 },
                "maxItems": 3,
                "default": [1, 2],
                "description": "Numbers.",
            },
            "words": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "description": "Words." },
            "set": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "description": "A set." },
            "pair": {
                "type": "array",
                "items": { "type": "boolean" },
                "minItems": 2,
                "maxItems": 2,
                "description": "Two of them.",
            },
            "labels": {
                "type": "object",
                "additionalProperties": { "type": "string", "format": "email" },
                "default": { "owner": "a@example.com" },
                "description": "Labels.",
            },
            "region": {
                "type": "string",
                "enum": ["eu-central", "us"],
                "default": "eu-central",
                "description": "Where it is.",
            },
            "copies": { "type": "object", "oneOf": copies, "description": "How it is copied." },
            "size": { "type": "integer", "minimum": 1, "maximum": 4_294_967_295_u32, "description": "The size." },
            "x-flag": { "type": "boolean", "description": "A flag." },
        },
    });
    assert_eq!(schema, expected, "{schema:#}");

    // An update has no defaults and requires nothing; `null` resets what is optional, and what is immutable stays.
    let changes: Value = serde_json::from_slice(StoreChanges::JSON).expect("JSON");
    assert_eq!(changes.get("required"), None);
    let types = |schema: &Value| {
        let properties = schema["properties"].as_object().expect("properties");
        properties.iter().map(|(name, schema)| (name.clone(), schema["type"].clone())).collect::<BTreeMap<_, _>>()
    };
    let (created, mut changed) = (types(&schema), types(&changes));
    for (name, expected) in created {
        match &*name {
            "name" => assert_eq!(changed.remove(&name), None),
            "copies" => assert_eq!(changed.remove(&name), Some(Value::Null), "it is any of `null` and an object"),
            "timeToLive" | "address" | "numbers" | "labels" | "region" => {
                assert_eq!(changed.remove(&name), Some(json!([expected, "null"])), "{name}");
            }
            _ => assert_eq!(changed.remove(&name), Some(expected), "{name}"),
        }
    }
    assert!(!String::from_utf8_lossy(StoreChanges::JSON).contains("\"default\""), "{changes:#}");

    let access: Value = serde_json::from_str(&document(&Access::SCHEMA)).expect("JSON");
    assert_eq!(access["properties"]["type"], json!({ "type": "string", "enum": ["mysql"] }));
    assert_eq!(access["properties"]["tcpPort"]["maximum"], 65_535);
    assert_eq!(access["required"], json!(["type", "tcpPort"]));
    assert_eq!(Access::CONSTANTS, [("type", "mysql")]);

    assert_eq!((Region::default().as_str(), format!("{:>4}", Region::UsEast)), ("eu-central", "  us".to_owned()));
    let changes: StoreChanges = decode(&json!({ "ratio": 0.5, "address": null })).expect("valid changes");
    assert_eq!(changes.clone(), changes);
    assert_eq!((changes.ratio, changes.address, changes.size), (Some(0.5), Change::Reset, None));

    let read: NewStore = decode(&new_store()).expect("valid parameters");
    assert_eq!((read.time_to_live, &*read.numbers, &read.region), (60, &[1, 2][..], &Region::EuCentral));
    assert_eq!((read.address, &read.copies, &*read.size), (None, &None, &Size(1)));
    assert_eq!(read.labels["owner"], "a@example.com");
    let right = [
        json!({ "timeToLive": 98, "copies": { "kind": "on", "howMany": 2, "more": 1 }, "region": "us" }),
        json!({ "address": "192.0.2.1", "copies": { "kind": "off" }, "numbers": [], "labels": {} }),
    ];
    for others in right {
        assert!(accepts(others.clone()), "{others}");
    }
    let wrong = [
        json!({ "timeToLive": 0 }),
        json!({ "timeToLive": 3 }),
        json!({ "timeToLive": 100 }),
        json!({ "ratio": 0 }),
        json!({ "name": "KV" }),
        json!({ "name": "" }),
        json!({ "address": "192.0.2.256" }),
        json!({ "numbers": [10] }),
        json!({ "numbers": [1, 1, 1, 1] }),
        json!({ "words": ["a", "a"] }),
        json!({ "pair": [true] }),
        json!({ "labels": { "owner": "ops" } }),
        json!({ "region": "UsEast" }),
        json!({ "copies": { "kind": "on" } }),
        json!({ "copies": "off" }),
        json!({ "size": 0 }),
        json!({ "flag": true }),
        json!({ "time_to_live": 60 }),
    ];
    for others in wrong {
        assert!(!accepts(others.clone()), "{others}");
    }

    let ports: Ports = decode(&json!({})).expect("a default");
    assert_eq!(ports.ports[0].number, 80);
}
