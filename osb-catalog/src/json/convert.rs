//! Conversions of [`Json`]: by serde, and from and to other types.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{
        DeserializeSeed, Error as _, IntoDeserializer, Visitor,
        value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
    ser::{SerializeMap, SerializeSeq},
};
use serde_json::{Error, Value};

use super::{Json, Members, read::Floats};

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
            Self::Object(members) => visitor.visit_map(entries(members)),
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
            Self::Object(members) => visitor.visit_enum(MapAccessDeserializer::new(entries(members))),
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

fn entries(Members(members): Members) -> MapDeserializer<'static, impl Iterator<Item = (Key, Json)>, Error> {
    MapDeserializer::new(members.into_iter().map(|(name, value)| (Key(name), value)))
}

/// A member's name, which a map may want as a number or a `bool`.
struct Key(String);

macro_rules! read_as_scalars {
    ($($read:ident)*) => {$(
        fn $read<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match Json::read(self.0.as_bytes()) {
                Ok(scalar @ (Json::Number(_) | Json::Bool(_))) => scalar.deserialize_any(visitor),
                _ => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Key {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    read_as_scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
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
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Key {
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
