//! JSON that is the same whichever features of `serde_json` a program turns on.
//!
//! `preserve_order` decides whether a [`Value`] keeps the order of members, and `float_roundtrip` whether a
//! number that was printed is read as the same number. Features of a dependency are on for the whole program, so a library that
//! needs one changes its users' code. This crate therefore relies on neither and works with both, and with
//! `arbitrary_precision`: a document whose order matters is a [`Json`], and text that may hold a user's numbers (requests,
//! records, catalogs) is read by [`from_slice`].

mod convert;
mod lazy;
pub mod pointer;
mod raw;
mod read;
mod shared;

use std::{
    fmt,
    ops::{Index, IndexMut},
};

use serde::{Serialize, de::DeserializeSeed as _};
use serde_json::{Error, Number, Value};

use self::read::Floats;
pub use self::{
    lazy::LazyObject,
    raw::{MAX_DEPTH, RawObject, count_values, string},
    read::{after_string, from_slice, from_str},
    shared::Shared,
};

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

    /// Returns whether arrays and objects are nested deeper than this.
    #[must_use]
    pub fn is_deeper_than(&self, depth: usize) -> bool {
        match self {
            Self::Array(items) => depth == 0 || items.iter().any(|item| item.is_deeper_than(depth - 1)),
            Self::Object(members) => depth == 0 || members.iter().any(|(_, member)| member.is_deeper_than(depth - 1)),
            _ => false,
        }
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

/// Returns whether arrays and objects are nested deeper than this.
#[must_use]
pub fn is_deeper_than(depth: usize, value: &Value) -> bool {
    match value {
        Value::Array(items) => depth == 0 || items.iter().any(|item| is_deeper_than(depth - 1, item)),
        Value::Object(members) => depth == 0 || members.values().any(|member| is_deeper_than(depth - 1, member)),
        _ => false,
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
