//! Objects that are kept as text until their members matter. A megabyte of small numbers takes 30 times the memory once
//! parsed.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use super::{Json, Members, RawObject, from_str};

/// An object as text, which is read into a map when that is asked for. It is cheap to clone.
#[derive(Clone)]
pub struct LazyObject {
    text: Arc<str>,
    members: OnceLock<Map<String, Value>>,
}

impl LazyObject {
    /// Returns the text.
    #[must_use]
    pub fn as_text(&self) -> &str {
        &self.text
    }

    /// Returns whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let inner = self.text.trim_ascii().strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        inner.is_some_and(|text| text.trim_ascii().is_empty())
    }

    /// Returns the member with this name if it is a string, without reading the others.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<String> {
        RawObject::read_str(&self.text)?.string(name)
    }

    /// Takes the text of an object. A text of anything else has no members.
    pub fn from_text(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), members: OnceLock::new() }
    }
}

impl Deref for LazyObject {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        self.members.get_or_init(|| from_str(&self.text).unwrap_or_default())
    }
}

impl Default for LazyObject {
    fn default() -> Self {
        Self::from_text("{}")
    }
}

impl From<Map<String, Value>> for LazyObject {
    fn from(members: Map<String, Value>) -> Self {
        Self::from_text(Value::Object(members).to_string())
    }
}

/// An object whose members are strings.
impl From<BTreeMap<&str, &str>> for LazyObject {
    fn from(members: BTreeMap<&str, &str>) -> Self {
        Self::from_text(serde_json::to_string(&members).unwrap_or_default())
    }
}

impl PartialEq for LazyObject {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || **self == **other
    }
}

/// Prints the names of the members, without their values.
impl fmt::Debug for LazyObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys()).finish()
    }
}

/// Writes the text as a string, as records have it.
impl Serialize for LazyObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// Reads an object, or a string with its text, as records have it.
impl<'de> Deserialize<'de> for LazyObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = LazyObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_str<E>(self, text: &str) -> Result<LazyObject, E> {
                Ok(LazyObject::from_text(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<LazyObject, A::Error> {
                let members = Members::deserialize(MapAccessDeserializer::new(object))?;
                Ok(LazyObject::from_text(Json::from(members).to_string()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/lazy.rs"]
mod tests;
