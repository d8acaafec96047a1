//! JSON that is the same whichever features of `serde_json` a program turns on.
//!
//! `preserve_order` decides whether a [`Value`] keeps the order of members, and `float_roundtrip` whether a number that was
//! printed is read as the same number. Features of a dependency are on for the whole program, so a library that needs one
//! changes its users' code. This crate therefore relies on neither and works with both: a document whose order matters
//! is a [`Json`], and text that may hold a user's numbers (requests, records, catalogs) is read by [`from_slice`].

use std::{
    fmt,
    ops::{Index, IndexMut},
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
    ser::{SerializeMap, SerializeSeq},
};
use serde_json::{Error, Number, Value};

/// Reads JSON; every number becomes the closest double, so that a number that was printed is read as it was.
///
/// # Errors
///
/// If the text isn't JSON, or isn't a `T`.
pub fn from_slice<T: DeserializeOwned>(text: &[u8]) -> Result<T, Error> {
    // Without fractions there is nothing that serde_json could read differently.
    if Floats(text).next().is_none() {
        return serde_json::from_slice(text);
    }
    T::deserialize(Json::read(text)?)
        // A map whose keys are numbers.
        .or_else(|_| T::deserialize(Value::from(Json::read(text)?)))
        // For its error, which has the position in the text.
        .or_else(|_| serde_json::from_slice(text))
}

/// [`from_slice`] for a string.
///
/// # Errors
///
/// If the text isn't JSON, or isn't a `T`.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    from_slice(text.as_bytes())
}

/// A JSON value whose objects keep the order of their members. It is meant for documents that a program writes: a member
/// is found by looking at each.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Json {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Members),
}

/// The members of an object, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Members(Vec<(String, Json)>);

impl Members {
    /// Returns the member with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.position(name).map(|at| &self.0[at].1)
    }

    /// Returns the member with this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        self.position(name).map(|at| &mut self.0[at].1)
    }

    /// Replaces the member with this name, or appends it.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        let (name, value) = (name.into(), value.into());
        match self.get_mut(&name) {
            Some(member) => *member = value,
            None => self.0.push((name, value)),
        }
    }

    /// Inserts a new member before the first one for whose name `is_next` returns true, or appends it.
    pub fn insert_before(&mut self, is_next: impl Fn(&str) -> bool, name: &str, value: impl Into<Json>) {
        let at = self.0.iter().position(|(name, _)| is_next(name)).unwrap_or(self.0.len());
        self.0.insert(at, (name.to_owned(), value.into()));
    }

    /// Removes the member with this name and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Json> {
        self.position(name).map(|at| self.0.remove(at).1)
    }

    /// Returns whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the members in order, to change their values.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut Json)> {
        self.0.iter_mut().map(|(name, value)| (name.as_str(), value))
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(member, _)| member == name)
    }
}

impl Extend<(String, Json)> for Members {
    fn extend<I: IntoIterator<Item = (String, Json)>>(&mut self, members: I) {
        members.into_iter().for_each(|(name, value)| self.insert(name, value));
    }
}

impl IntoIterator for Members {
    type Item = (String, Json);
    type IntoIter = std::vec::IntoIter<(String, Json)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Members that appear once each.
impl FromIterator<(String, Json)> for Members {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl Json {
    /// Reads JSON, numbers as [`from_slice`] does.
    ///
    /// # Errors
    ///
    /// If the text isn't JSON.
    pub fn read(text: &[u8]) -> Result<Self, Error> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let json = (&mut Floats(text)).deserialize(&mut reader)?;
        reader.end()?;
        Ok(json)
    }

    /// Returns the JSON of a value, with members in the order in which it writes them.
    ///
    /// # Errors
    ///
    /// If the value can't be written as JSON.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, Error> {
        Self::read(&serde_json::to_vec(value)?)
    }

    /// Returns the member of an object with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object().and_then(|members| members.get(name))
    }

    /// Returns the member of an object with this name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        self.as_object_mut().and_then(|members| members.get_mut(name))
    }

    /// Returns the text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Returns the items of an array, to change them.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the members of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Members> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }

    /// Returns the members of an object, to change them.
    pub fn as_object_mut(&mut self) -> Option<&mut Members> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

impl Index<&str> for Json {
    type Output = Self;

    /// Returns `null` if there is no such member.
    fn index(&self, name: &str) -> &Self {
        self.get(name).unwrap_or(&Self::Null)
    }
}

impl Index<usize> for Json {
    type Output = Self;

    /// Returns `null` if there is no such item.
    fn index(&self, at: usize) -> &Self {
        if let Self::Array(items) = self { items.get(at).unwrap_or(&Self::Null) } else { &Self::Null }
    }
}

impl IndexMut<&str> for Json {
    /// Inserts a member that is missing; something that isn't an object becomes one.
    fn index_mut(&mut self, name: &str) -> &mut Self {
        if !matches!(self, Self::Object(_)) {
            *self = Self::Object(Members::default());
        }
        let Self::Object(Members(members)) = self else { unreachable!("it is an object now") };
        let at = members.iter().position(|(member, _)| member == name).unwrap_or_else(|| {
            members.push((name.to_owned(), Self::Null));
            members.len() - 1
        });
        &mut members[at].1
    }
}

/// As compact text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| object.serialize_entry(name, value))?;
        object.end()
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut array = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| array.serialize_element(item))?;
                array.end()
            }
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match (&mut Floats(b"")).deserialize(deserializer)? {
            Json::Object(members) => Ok(members),
            _ => Err(D::Error::custom("expected an object")),
        }
    }
}

/// Reads a type from JSON that was read before, so that its [`Members`] keep their order.
impl<'de> Deserializer<'de> for Json {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(value) => visitor.visit_bool(value),
            Self::Number(number) => number.deserialize_any(visitor),
            Self::String(text) => visitor.visit_string(text),
            Self::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter());
                let value = visitor.visit_seq(&mut items)?;
                items.end().map(|()| value)
            }
            Self::Object(members) => visitor.visit_map(MapDeserializer::new(members.into_iter())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self == Self::Null { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Self::Object(members) => {
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(members.into_iter())))
            }
            other => visitor.visit_enum(String::deserialize(other)?.into_deserializer()),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The last of several members with one name counts.
impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::Number(number) => Self::Number(number),
            Json::String(text) => Self::String(text),
            Json::Array(items) => items.into_iter().collect(),
            Json::Object(Members(members)) => Self::Object(members.into_iter().map(|(n, v)| (n, v.into())).collect()),
        }
    }
}

/// Members are sorted by name, as their order in a [`Value`] means nothing.
impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(text),
            Value::Array(items) => items.into_iter().collect(),
            Value::Object(members) => {
                let mut members: Vec<_> = members.into_iter().map(|(name, value)| (name, value.into())).collect();
                members.sort_unstable_by(|(a, _), (b, _)| str::cmp(a, b));
                Self::Object(Members(members))
            }
        }
    }
}

macro_rules! from_scalars {
    ($($scalar:ty),*) => {$(
        impl From<$scalar> for Json {
            fn from(scalar: $scalar) -> Self {
                Value::from(scalar).into()
            }
        }
    )*};
}

from_scalars!(bool, &str, String, i32, i64, u16, u32, u64, usize, f64);

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<serde_json::Map<String, Value>> for Json {
    fn from(members: serde_json::Map<String, Value>) -> Self {
        Value::Object(members).into()
    }
}

impl From<&Json> for Json {
    fn from(json: &Json) -> Self {
        json.clone()
    }
}

impl From<Members> for Json {
    fn from(members: Members) -> Self {
        Self::Object(members)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Json> + Clone> From<&[T]> for Json {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

/// The numbers of a text that are read as floats, in order. While it reads values, it gives each float that serde_json
/// meets its exact value: without `float_roundtrip` serde_json's own may be the next one or the one after that.
struct Floats<'t>(&'t [u8]);

impl Iterator for Floats<'_> {
    type Item = f64;

    fn next(&mut self) -> Option<f64> {
        loop {
            let at = self.0.iter().position(|byte| matches!(byte, b'"' | b'-' | b'0'..=b'9'))?;
            if self.0[at] == b'"' {
                self.0 = after_string(&self.0[at + 1..])?;
                continue;
            }
            let text = &self.0[at..];
            let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
            let end = text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len());
            let (number, rest) = text.split_at(end);
            self.0 = rest;
            if let Some(float) = float(number) {
                return Some(float);
            }
        }
    }
}

/// Returns the rest of a JSON text after a string whose opening quote has been read; `None` if the string does not end.
///
/// ```
/// # use osb_catalog::json::after_string;
/// assert_eq!(after_string(br#"a\"b", 1]"#), Some(&b", 1]"[..]));
/// ```
#[must_use]
pub fn after_string(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        let at = plain_len(text);
        match text.get(at)? {
            b'"' => return text.get(at + 1..),
            b'\\' => text = text.get(at + 2..)?,
            // No string of JSON has it, but not every text is JSON.
            _control => text = &text[at + 1..],
        }
    }
}

/// Returns the number of bytes before the first one that is a quote, a backslash or a control character.
///
/// ```
/// # use osb_catalog::json::plain_len;
/// assert_eq!(plain_len(br#"a name": 1"#), 6);
/// assert_eq!(plain_len(b"all of it"), 9);
/// ```
#[must_use]
pub fn plain_len(text: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES << 7;
    // Sets the high bit of the first byte that is less than `n`, and maybe of later ones.
    let less = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word & HIGH;
    let mut at = 0;
    while let Some(chunk) = text[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let special =
            less(word, 0x20) | less(word ^ (ONES * u64::from(b'"')), 1) | less(word ^ (ONES * u64::from(b'\\')), 1);
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    at + text[at..].iter().position(is_special).unwrap_or(text.len() - at)
}

/// The value of a number, unless it is an integer that serde_json reads as one.
fn float(number: &[u8]) -> Option<f64> {
    let number = std::str::from_utf8(number).ok()?;
    let is_integer = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
    if is_integer && number != "-0" { None } else { number.parse().ok() }
}

impl<'de> DeserializeSeed<'de> for &mut Floats<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Floats<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, nearly: f64) -> Result<Json, E> {
        Ok(self.next().filter(|exact| exact.is_finite()).unwrap_or(nearly).into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = array.next_element_seed(&mut *self)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = object.next_key()? {
            members.push((name, object.next_value_seed(&mut *self)?));
        }
        Ok(Json::Object(Members(members)))
    }
}

/// Makes a [`Json`] from something that looks like it, with expressions for values.
///
/// ```
/// # use osb_catalog::json::json;
/// let port = 5_432;
/// let json = json!({ "type": "tcp", "ports": [port, port + 1], "also": { "secure": true } });
/// assert_eq!(json.to_string(), r#"{"type":"tcp","ports":[5432,5433],"also":{"secure":true}}"#);
/// ```
#[doc(inline)]
pub use crate::__json as json;

#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    (@members $members:ident) => {};
    (@members $members:ident $name:tt : { $($value:tt)* } $(, $($rest:tt)*)?) => {
        $members.insert($name, $crate::__json!({ $($value)* }));
        $crate::__json!(@members $members $($($rest)*)?)
    };
    (@members $members:ident $name:tt : [ $($value:tt)* ] $(, $($rest:tt)*)?) => {
        $members.insert($name, $crate::__json!([ $($value)* ]));
        $crate::__json!(@members $members $($($rest)*)?)
    };
    (@members $members:ident $name:tt : $value:expr $(, $($rest:tt)*)?) => {
        $members.insert($name, $value);
        $crate::__json!(@members $members $($($rest)*)?)
    };
    (@items $items:ident) => {};
    (@items $items:ident { $($value:tt)* } $(, $($rest:tt)*)?) => {
        $items.push($crate::__json!({ $($value)* }));
        $crate::__json!(@items $items $($($rest)*)?)
    };
    (@items $items:ident $value:expr $(, $($rest:tt)*)?) => {
        $items.push($crate::json::Json::from($value));
        $crate::__json!(@items $items $($($rest)*)?)
    };
    ({ $($members:tt)* }) => {{
        #[allow(unused_mut, reason = "an empty object has no members to insert")]
        let mut members = $crate::json::Members::default();
        $crate::__json!(@members members $($members)*);
        $crate::json::Json::Object(members)
    }};
    ([ $($items:tt)* ]) => {{
        #[allow(unused_mut, clippy::vec_init_then_push, reason = "items are pushed one by one as they are matched")]
        let mut items = ::std::vec::Vec::<$crate::json::Json>::new();
        $crate::__json!(@items items $($items)*);
        $crate::json::Json::Array(items)
    }};
}

#[cfg(test)]
#[path = "../tests/unit/json.rs"]
mod tests;
