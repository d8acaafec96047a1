//! What is locked, as it stands in the file.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};

/// A catalog, as far as platforms and users rely on it: what `catalog.lock` holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    pub(super) version: u64,
    pub(super) services: Vec<Service>,
    /// Ids of what there was in earlier releases, each with what it was: none of them may ever mean anything else.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) gone: BTreeMap<String, String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Service {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) requires: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) instances_retrievable: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) bindings_retrievable: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) allow_context_updates: bool,
    pub(super) plans: Vec<Plan>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    pub(super) id: String,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) retired: bool,
    pub(super) free: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) bindable: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) rotatable: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) requires_app: bool,
    /// Which operations are always asynchronous: `instances`, `bindings`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) always_asynchronous: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) maximum_polling_duration: Option<u32>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) maintenance: Option<String>,
    /// The names of the plans that an instance can move to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) changes_to: Vec<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) create: Option<Schema>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) update: Option<Schema>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) bind: Option<Schema>,
    /// Of a binding: which there are, and of which types.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) credentials: Option<Schema>,
}

/// A schema without what is only said about it. As in JSON Schema, what is absent limits nothing, so that two schemas
/// can be compared word by word; `required`, `immutable` and `aliases` say how a property stands in its object.
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
    /// Of a string, a list or a map, as in `length(min = ..)`.
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
    /// Of a list or a map, as in `items(...)`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) items: Option<Box<Schema>>,
    /// Whether other properties are accepted too.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) open: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) properties: BTreeMap<String, Schema>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) tag: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) variants: BTreeMap<String, Schema>,
    /// What `schemars` says of a type from elsewhere.
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

    /// The property that is called so, by its name of today.
    pub(super) fn property(&self, name: &str) -> Option<(&str, &Self)> {
        let called = |(own, property): &(&String, &Self)| *own == name || property.aliases.iter().any(|a| a == name);
        self.properties.iter().find(called).map(|(own, property)| (own.as_str(), property))
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A default of `null` is one, too.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}
