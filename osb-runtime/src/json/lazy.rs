//! Objects that are kept as text until their members matter. A megabyte of small numbers takes 30 times as much as values.

use std::{
    borrow::Cow,
    fmt,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{Floats, after_string, from_str};

/// An object as compact text, which is read into a map when that is asked for. It is cheap to clone.
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
        &*self.text == "{}"
    }

    /// Returns the member with this name if it is a string, without reading the others.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<String> {
        let [found] = self.strings([name]);
        found
    }

    /// Returns the members with these names that are strings, in one pass over the text.
    #[must_use]
    pub fn strings<const N: usize>(&self, names: [&str; N]) -> [Option<String>; N] {
        let mut found = [None; N];
        for (member, value) in Parts(self.text.as_bytes()) {
            // The last member with a name counts.
            if let Some(place) = names.iter().position(|name| is_name(member, name)) {
                found[place] = Some(value);
            }
        }
        let string = |value: &[u8]| if value.starts_with(b"\"") { serde_json::from_slice(value).ok() } else { None };
        found.map(|value| value.and_then(string))
    }

    /// Takes text that was written by [`TextWriter`].
    fn from_text(text: String) -> Self {
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
        Self::from_text("{}".to_owned())
    }
}

impl From<Map<String, Value>> for LazyObject {
    fn from(members: Map<String, Value>) -> Self {
        Self::from_text(Value::Object(members).to_string())
    }
}

impl PartialEq for LazyObject {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || **self == **other
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
                Ok(LazyObject::from_text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<LazyObject, A::Error> {
                let mut writer = TextWriter { text: Vec::new(), floats: Floats(b"") };
                writer.visit_map(object)?;
                writer.finish().map(LazyObject::from_text)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Reads an object. The member `lazy` is left out if it is an object, and returned as text. `-0` is the integer 0,
/// although `serde_json` reads it as a float, which no type of integers accepts.
///
/// # Errors
///
/// If the text isn't JSON, or isn't an object.
pub(crate) fn object_with_lazy(
    text: &[u8],
    lazy: &str,
) -> Result<(Map<String, Value>, Option<LazyObject>), serde_json::Error> {
    let plain = with_plain_zeros(text);
    let mut reader = serde_json::Deserializer::from_slice(&plain);
    let writer = TextWriter { text: Vec::new(), floats: Floats(&plain) };
    let read = reader.deserialize_map(ObjectReader { writer, lazy }).and_then(|read| reader.end().map(|()| read));
    match (&plain, read) {
        // The position of the error is that in the text as it was sent.
        (Cow::Owned(_), Err(error)) => Err(serde_json::from_slice::<Value>(text).err().unwrap_or(error)),
        (_, read) => read,
    }
}

/// Replaces the sign of each number `-0` by a space.
fn with_plain_zeros(text: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(next) = text[at..].iter().position(|byte| matches!(byte, b'"' | b'-')) {
        at += next + 1;
        if text[at - 1] == b'"' {
            let Some(rest) = after_string(&text[at..]) else { break };
            at = text.len() - rest.len();
            continue;
        }
        let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
        let follows = at > 1 && is_number(&text[at - 2]);
        if !follows && text.get(at) == Some(&b'0') && !text.get(at + 1).is_some_and(is_number) {
            text.to_mut()[at - 1] = b' ';
        }
    }
    text
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

struct ObjectReader<'t> {
    writer: TextWriter<'t>,
    lazy: &'t str,
}

impl<'de> Visitor<'de> for ObjectReader<'_> {
    type Value = (Map<String, Value>, Option<LazyObject>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Self::Value, A::Error> {
        let has_floats = Floats(self.writer.floats.0).next().is_some();
        let (mut members, mut lazy) = (Map::new(), None);
        while let Some(name) = object.next_key::<String>()? {
            let value = if name == self.lazy {
                object.next_value_seed(&mut self.writer)?;
                let text = self.writer.finish()?;
                let value = of_its_kind(&text);
                lazy = value.is_object().then(|| LazyObject::from_text(text));
                value
            } else if has_floats {
                object.next_value_seed(&mut self.writer.floats)?.into()
            } else {
                object.next_value()?
            };
            members.insert(name, value);
        }
        Ok((members, lazy))
    }
}

/// Returns an empty value of the kind of a value's text.
fn of_its_kind(text: &str) -> Value {
    match text.as_bytes().first() {
        Some(b'{') => Value::Object(Map::new()),
        Some(b'[') => Value::Array(Vec::new()),
        Some(b'"') => Value::String(String::new()),
        Some(b't' | b'f') => Value::Bool(text == "true"),
        Some(b'n') | None => Value::Null,
        Some(_) => Value::from(0),
    }
}

/// Writes the values that it reads as compact text.
struct TextWriter<'t> {
    text: Vec<u8>,
    floats: Floats<'t>,
}

impl TextWriter<'_> {
    fn write<E: Error>(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), E> {
        serde_json::to_writer(&mut self.text, value).map_err(E::custom)
    }

    /// Ends the array or object that begins at `start`, whose items each have a comma after them.
    fn close(&mut self, start: usize, bracket: u8) {
        if self.text.len() > start + 1 {
            self.text.pop();
        }
        self.text.push(bracket);
    }

    /// Takes the text.
    fn finish<E: Error>(&mut self) -> Result<String, E> {
        String::from_utf8(std::mem::take(&mut self.text)).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for &mut TextWriter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut TextWriter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.write(&())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.write(&value)
    }

    fn visit_f64<E: Error>(self, nearly: f64) -> Result<(), E> {
        let exact = self.floats.next().filter(|exact| exact.is_finite()).unwrap_or(nearly);
        self.write(&exact)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.write(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        let start = self.text.len();
        self.text.push(b'[');
        while array.next_element_seed(&mut *self)?.is_some() {
            self.text.push(b',');
        }
        self.close(start, b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let start = self.text.len();
        self.text.push(b'{');
        while object.next_key_seed(&mut *self)?.is_some() {
            self.text.push(b':');
            object.next_value_seed(&mut *self)?;
            self.text.push(b',');
        }
        self.close(start, b'}');
        Ok(())
    }
}

#[cfg(test)]
#[path = "../../tests/unit/lazy.rs"]
mod tests;
