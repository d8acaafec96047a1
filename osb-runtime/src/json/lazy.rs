//! Objects that are kept as text until their members matter. A megabyte of small numbers takes 30 times the memory once
//! parsed.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use osb_catalog::json::after_string;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use super::{Json, Members, RawObject, from_str, with_plain_zeros};

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

    /// Takes the text of an object in a request.
    pub(crate) fn from_request(text: &str) -> Self {
        Self::from_text(&*with_plain_zeros(text))
    }

    /// Takes the text of an object.
    fn from_text(text: impl Into<Arc<str>>) -> Self {
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

/// Counts the values in the text of an object, except for those in the member `lazy`. Of a text that isn't JSON it
/// counts at least those that are read before the error.
pub(crate) fn count_values(text: &[u8], lazy: &str) -> usize {
    let is_object = text.trim_ascii_start().first() == Some(&b'{');
    let outside: usize = Parts(text).filter(|(name, _)| !is_name(name, lazy)).map(|(_, value)| count(value)).sum();
    if is_object { outside } else { count(text) }
}

fn count(mut text: &[u8]) -> usize {
    let mut count = 1;
    while let Some(at) = text.iter().position(|byte| matches!(byte, b'"' | b',' | b'[' | b'{')) {
        let rest = &text[at + 1..];
        let is_string = text[at] == b'"';
        count += usize::from(!is_string);
        text = if is_string { after_string(rest).unwrap_or_default() } else { rest };
    }
    count
}

/// Returns whether the text of a string is this name, which has no characters that are escaped.
fn is_name(text: &[u8], name: &str) -> bool {
    text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")) == Some(name.as_bytes())
}

/// The members of an object in a text, each with the text of its name and of its value.
struct Parts<'t>(&'t [u8]);

impl<'t> Iterator for Parts<'t> {
    type Item = (&'t [u8], &'t [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b',');
        let start = self.0.iter().position(|byte| !is_between(byte))?;
        let text = &self.0[start..];
        let rest = after_string(text.strip_prefix(b"\"")?)?;
        let name = &text[..text.len() - rest.len()];
        let value = rest.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let (value, rest) = value.split_at(end_of_value(value));
        self.0 = rest;
        Some((name, value))
    }
}

/// Returns the position of the comma or bracket after the value with which a text begins.
fn end_of_value(text: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let rest = after_string(&text[at + 1..]).unwrap_or_default();
                at = text.len() - rest.len();
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            b',' if depth > 0 => {}
            b']' | b'}' | b',' => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
#[path = "../../tests/unit/lazy.rs"]
mod tests;
