//! Entries of credentials as a source of serde. A file holds text, from which a number or an object is read where the type
//! wants one, or binary data. Errors name the place and the kinds of values, and leave the values out: those of serde contain them.

use std::{cell::Cell, collections::BTreeMap, fmt};

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
    let mut entries = entries.clone();
    loop {
        let mismatch = match T::deserialize(Object(entries.clone())) {
            Ok(value) => return Ok(value),
            Err(mismatch) => mismatch,
        };
        // serde collects the members of a flattened type before it asks for their types, and gets each file as text. If
        // such a member refuses its text, it is read again, as a member that isn't flattened.
        let Some(refused) = &mismatch.refused else { return Err(mismatch) };
        let is_refused = |entry: &Entry| matches!(entry, Entry::Text(text) if text == refused);
        if !entries.values().any(is_refused) {
            return Err(mismatch);
        }
        entries.values_mut().filter(|entry| is_refused(entry)).for_each(|entry| *entry = entry.clone().parsed());
    }
}

/// The reason why a value doesn't fit, and the path to it.
pub(crate) struct Mismatch {
    path: Vec<String>,
    reason: String,
    /// The text that a type refused. It is not shown.
    refused: Option<String>,
}

impl Mismatch {
    fn new(reason: String) -> Self {
        Self { path: Vec::new(), reason, refused: None }
    }

    fn within(mut self, name: &str) -> Self {
        self.path.insert(0, name.to_owned());
        self
    }

    fn of_text(mut self, text: &str) -> Self {
        self.refused = Some(text.to_owned());
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

impl fmt::Debug for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Mismatch {}

impl de::Error for Mismatch {
    /// The text is that of the type that is read, which may quote the value.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::new("is not a valid value of the target type".to_owned())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let mismatch = Self::new(format!("is {}, where {expected} is expected", kind(unexpected)));
        match unexpected {
            Unexpected::Str(text) => mismatch.of_text(text),
            _ => mismatch,
        }
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("is not {expected}"))
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        Self::new(format!("has {length} elements, where {expected} is expected"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("must be one of `{}`", expected.join("`, `"))).of_text(variant)
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

/// The bytes of a file, for a type of `u8`s. Other types refuse the file, an empty one too.
struct FileBytes {
    rest: std::vec::IntoIter<u8>,
    mismatch: Mismatch,
}

impl<'de> de::SeqAccess<'de> for FileBytes {
    type Error = Mismatch;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Mismatch> {
        let at_end = Cell::new(false);
        let byte = FileByte { byte: self.rest.next(), at_end: &at_end, mismatch: &self.mismatch };
        let read = seed.deserialize(byte);
        if at_end.get() { Ok(None) } else { read.map(Some) }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct FileByte<'a> {
    byte: Option<u8>,
    at_end: &'a Cell<bool>,
    mismatch: &'a Mismatch,
}

impl<'de> Deserializer<'de> for FileByte<'_> {
    type Error = Mismatch;

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        if let Some(byte) = self.byte {
            return visitor.visit_u8(byte);
        }
        self.at_end.set(true);
        self.deserialize_any(visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Mismatch> {
        Err(Mismatch::new(self.mismatch.reason.clone()))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Mismatch> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

impl Entry {
    /// Returns the value for a type that isn't text.
    fn parsed(self) -> Self {
        match self {
            Self::Text(text) => {
                let text = text.trim();
                Self::Json(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())))
            }
            other => other,
        }
    }
}

fn visit_list<'de, V: Visitor<'de>>(items: Vec<Value>, visitor: V) -> Result<V::Value, Mismatch> {
    let mut items = SeqDeserializer::new(items.into_iter().map(Entry::Json));
    let value = visitor.visit_seq(&mut items)?;
    items.end()?;
    Ok(value)
}

fn visit_bytes<'de, V: Visitor<'de>>(bytes: Vec<u8>, is: Unexpected<'_>, visitor: V) -> Result<V::Value, Mismatch> {
    let length = bytes.len();
    let mut bytes = FileBytes { rest: bytes.into_iter(), mismatch: Mismatch::invalid_type(is, &visitor) };
    let value = visitor.visit_seq(&mut bytes)?;
    match bytes.rest.len() {
        0 => Ok(value),
        rest => Err(Mismatch::new(format!("has {length} bytes, where {} are expected", length - rest))),
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
            Self::Json(Value::Array(items)) => visit_list(items, visitor),
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
        let variant = match self {
            Self::Json(Value::String(text)) => text,
            Self::Json(value) => {
                return value.deserialize_enum(name, variants, visitor).map_err(Mismatch::custom);
            }
            Self::Text(text) => match serde_json::from_str::<Value>(&text) {
                Ok(object @ Value::Object(_)) => return Self::Json(object).deserialize_enum(name, variants, visitor),
                _ => text.trim().to_owned(),
            },
            bytes @ Self::Bytes(_) => return bytes.deserialize_any(visitor),
        };
        visitor.visit_enum(IntoDeserializer::<Mismatch>::into_deserializer(variant))
    }

    /// A list in JSON, or the bytes of a file.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Self::Text(text) => match serde_json::from_str(&text) {
                Ok(Value::Array(items)) => visit_list(items, visitor),
                _ => visit_bytes(text.into_bytes(), Unexpected::Str(""), visitor),
            },
            Self::Bytes(bytes) => visit_bytes(bytes, Unexpected::Bytes(&[]), visitor),
            json @ Self::Json(_) => json.deserialize_any(visitor),
        }
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        match self {
            Self::Text(text) => visitor.visit_byte_buf(text.into_bytes()),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mismatch> {
        self.deserialize_bytes(visitor)
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

    forward_to_deserialize_any! { char str string unit_struct identifier ignored_any }
}
