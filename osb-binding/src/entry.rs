//! Entries of credentials as a source of serde. A file holds text, from which a number or an object is read where the type
//! wants one, or binary data. Errors name the place and the kinds of values, and leave the values out: those of serde contain them.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, Unexpected, Visitor,
        value::SeqDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::Value;

/// The value of an entry.
#[derive(Clone)]
pub(crate) enum Entry {
    Json(Value),
    Text(String),
    /// A file that isn't UTF-8.
    Bytes(Vec<u8>),
}

pub(crate) fn read<T: DeserializeOwned>(entries: &BTreeMap<String, Entry>) -> Result<T, Mismatch> {
    T::deserialize(Object(entries.clone()))
}

/// The reason why a value doesn't fit, and the path to it.
#[derive(Debug)]
pub(crate) struct Mismatch {
    path: Vec<String>,
    reason: String,
}

impl Mismatch {
    fn new(reason: String) -> Self {
        Self { path: Vec::new(), reason }
    }

    fn within(mut self, name: &str) -> Self {
        self.path.insert(0, name.to_owned());
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "`{}` ", self.path.join("."))?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    /// The text is that of the type that is read, which may quote the value.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::new("is not a valid value of the target type".to_owned())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("is {}, where {expected} is expected", kind(unexpected)))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("is not {expected}"))
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        Self::new(format!("has {length} elements, where {expected} is expected"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("must be one of `{}`", expected.join("`, `")))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("has an unknown member `{field}`; expected one of `{}`", expected.join("`, `")))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("has no member `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("has two members `{field}`"))
    }
}

fn kind(unexpected: Unexpected<'_>) -> &'static str {
    match unexpected {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "a whole number",
        Unexpected::Float(_) => "a number",
        Unexpected::Seq => "a list",
        Unexpected::Map => "an object",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Bytes(_) => "binary data",
        _ => "a string",
    }
}

/// Reads an object member by member, and says in which one a mistake is.
struct Object(BTreeMap<String, Entry>);

impl<'de> Deserializer<'de> for Object {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_map(Members { rest: self.0.into_iter(), next: None })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

struct Members {
    rest: std::collections::btree_map::IntoIter<String, Entry>,
    next: Option<(String, Entry)>,
}

impl<'de> de::MapAccess<'de> for Members {
    type Error = Mismatch;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Mismatch> {
        self.next = self.rest.next();
        let key = self.next.as_ref().map(|(name, _)| name.clone());
        key.map(|name| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mismatch> {
        let (name, value) = self.next.take().ok_or_else(|| Mismatch::custom(""))?;
        seed.deserialize(value).map_err(|mismatch| mismatch.within(&name))
    }
}

impl IntoDeserializer<'_, Mismatch> for Entry {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Entry {
    /// Returns the value for a type that isn't text.
    fn parsed(self) -> Self {
        match self {
            Self::Text(text) => Self::Json(serde_json::from_str(text.trim()).unwrap_or(Value::String(text))),
            other => other,
        }
    }
}

/// The methods for types that are written as JSON in a file.
macro_rules! parsed {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
            self.parsed().deserialize_any(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Entry {
    type Error = Mismatch;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Self::Json(Value::Null) => visitor.visit_unit(),
            Self::Json(Value::Bool(value)) => visitor.visit_bool(value),
            Self::Json(Value::Number(number)) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), ..) => visitor.visit_u64(value),
                (None, Some(value), _) => visitor.visit_i64(value),
                (None, None, value) => visitor.visit_f64(value.unwrap_or(f64::NAN)),
            },
            Self::Text(text) | Self::Json(Value::String(text)) => visitor.visit_string(text),
            Self::Json(Value::Array(items)) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Self::Json)))
            }
            Self::Json(Value::Object(members)) => {
                let members = members.into_iter().map(|(name, value)| (name, Self::Json(value)));
                Object(members.collect()).deserialize_any(visitor)
            }
            Self::Bytes(bytes) => visitor.visit_byte_buf(bytes),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Self::Json(Value::Null) => visitor.visit_none(),
            other => visitor.visit_some(other),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        match self {
            Self::Text(text) | Self::Json(Value::String(text)) => {
                visitor.visit_enum(IntoDeserializer::<Mismatch>::into_deserializer(text))
            }
            Self::Json(value) => value.deserialize_enum(name, variants, visitor).map_err(Mismatch::custom),
            bytes @ Self::Bytes(_) => bytes.deserialize_any(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self.parsed() {
            Self::Bytes(bytes) => visitor.visit_seq(SeqDeserializer::new(bytes.into_iter())),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mismatch> {
        self.deserialize_map(visitor)
    }

    parsed! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64 deserialize_unit
        deserialize_map
    }

    forward_to_deserialize_any! { char str string bytes byte_buf unit_struct identifier ignored_any }
}
