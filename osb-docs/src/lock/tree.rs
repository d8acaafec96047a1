//! The data model of the lock file.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

use super::members::Service;

/// The part of a catalog that platforms and users depend on: the content of `catalog.lock`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    pub(super) version: u64,
    pub(super) services: Vec<Service>,
    /// Ids that were removed in earlier releases, each with a description. They must never be reused.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) gone: BTreeMap<String, String>,
}

/// A schema without descriptions. As in JSON Schema, an absent keyword imposes no constraint, so two schemas can be
/// compared keyword by keyword. `required`, `immutable` and `aliases` describe the schema as a property of its object.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Schema {
    #[serde(rename = "type")]
    pub(super) kind: Type,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) required: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) immutable: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) secret: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) nullable: bool,
    #[serde(default, skip_serializing_if = "is_default", deserialize_with = "present")]
    pub(super) default: Option<Value>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) minimum: Option<Number>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) exclusive_minimum: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) maximum: Option<Number>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) exclusive_maximum: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) multiple_of: Option<Number>,
    /// The minimum length of a string, a list or a map.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) min_length: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) max_length: Option<u64>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) pattern: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) format: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) values: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) unique: bool,
    /// The schema of the elements of a list or a map.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) items: Option<Box<Schema>>,
    /// Whether unknown properties are accepted.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) open: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) properties: BTreeMap<String, Schema>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) tag: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) variants: BTreeMap<String, Schema>,
    /// The `schemars` schema of a foreign type.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) foreign: Option<Value>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    #[default]
    Any,
    Boolean,
    Integer,
    Number,
    String,
    Choice,
    List,
    Map,
    Object,
    Tagged,
    Foreign,
}

impl Schema {
    pub(super) fn of(kind: Type) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Finds a property by its name or an alias; returns it with its current name.
    pub(super) fn property(&self, name: &str) -> Option<(&str, &Self)> {
        let called = |(own, property): &(&String, &Self)| *own == name || property.aliases.iter().any(|a| a == name);
        self.properties.iter().find(called).map(|(own, property)| (own.as_str(), property))
    }
}

pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Distinguishes a default of `null` from an absent default.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}
