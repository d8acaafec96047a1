//! What the code that `#[parameters]` writes calls.

use regex::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Literal, Parameter, Schema, message::Message};

/// The compiled form of a pattern that the macro has compiled before.
///
/// # Panics
///
/// If it has not.
#[must_use]
pub fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("the macro has accepted a pattern that doesn't compile: {error}"))
}

/// The value of a default that no literal of Rust stands for.
///
/// [`decode`](super::decode) has filled in defaults before serde asks for them, so that a request can't get here.
///
/// # Panics
///
/// If the value is none of the type's, for which its `Deserialize` has to differ from its schema.
#[must_use]
pub fn default_value<T: Parameter>(literal: &Literal) -> T {
    T::deserialize(serde_json::Value::from(literal))
        .unwrap_or_else(|error| panic!("the default of a {} can't be read: {error}", std::any::type_name::<T>()))
}

/// See [`Parameter::WITHOUT_PARTIAL`].
#[must_use]
pub const fn without_partial(schema: &Schema, name: &'static str) -> Option<&'static str> {
    if schema.has_gaps() { Some(name) } else { None }
}

/// Whether a field is optional where that can be seen: the type of an update depends on it.
#[track_caller]
pub const fn check_option(hidden: bool, field: &str) {
    if hidden {
        Message::new("the type of ").text(field).text(" hides an `Option`; help: write `Option<...>` here").panic();
    }
}

/// Whether a field can stand in a type with a partial type.
#[track_caller]
pub const fn check_partial(without: Option<&str>) {
    if let Some(name) = without {
        Message::new("")
            .name(name)
            .text(" has properties that may be absent, and no partial type to change them one by one; help: write `#[parameters(partial = ")
            .text(name)
            .text("Changes)]` on it")
            .panic();
    }
}

/// How long [`quoted`] makes a text.
#[must_use]
pub const fn quoted_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut len) = (0, 2);
    while at < bytes.len() {
        len += escape(bytes[at]).1;
        at += 1;
    }
    len
}

/// `text` as a JSON string, quotes included.
#[must_use]
pub const fn quoted<const LEN: usize>(text: &str) -> [u8; LEN] {
    let bytes = text.as_bytes();
    let mut out = [b'"'; LEN];
    let (mut at, mut to) = (0, 1);
    while at < bytes.len() {
        let (escape, len) = escape(bytes[at]);
        let mut part = 0;
        while part < len {
            out[to + part] = escape[part];
            part += 1;
        }
        to += len;
        at += 1;
    }
    out
}

/// The text that `bytes` are.
///
/// # Panics
///
/// While compiling, if they are none.
#[must_use]
pub const fn text_of(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a text that is no text"),
    }
}

/// How a byte of a JSON string is written, and with how many bytes.
const fn escape(byte: u8) -> ([u8; 6], usize) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => ([b'\\', byte, 0, 0, 0, 0], 2),
        0..0x20 => ([b'\\', b'u', b'0', b'0', HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]], 6),
        _ => ([byte, 0, 0, 0, 0, 0], 1),
    }
}

/// The types of constants that can be bounds; a fraction would be cut off.
#[diagnostic::on_unimplemented(
    message = "a constant that is a bound or a length has to be a whole number, and `{Self}` is none",
    label = "not a whole number",
    note = "write the digits here"
)]
pub trait WholeNumber {}

macro_rules! whole_numbers {
    ($($name:ty),*) => {$(impl WholeNumber for $name {})*};
}
whole_numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

/// Compiles if `T` is a whole number.
pub const fn whole_number<T: WholeNumber>(_: &T) {}

/// Reads and writes a field through its own type, if that can be read and written.
///
/// Serde's derives demand so of every field, in five places; a type without `#[parameters]` would be reported in all of
/// them, in serde's words. This way they demand nothing, and [`Parameter`] is asked for once, in ours.
pub struct Through<T>(core::marker::PhantomData<T>);

impl<T> Through<T> {
    /// For the field's type.
    #[expect(clippy::new_without_default, reason = "only generated code makes one")]
    #[must_use]
    pub const fn new() -> Self {
        Self(core::marker::PhantomData)
    }
}

/// The way taken where serde knows the type.
pub trait Known<'de, T> {
    #[expect(missing_docs, reason = "serde's own words")]
    fn read<D: Deserializer<'de>>(&self, from: D) -> Result<T, D::Error>;
}

impl<'de, T: Deserialize<'de>> Known<'de, T> for Through<T> {
    fn read<D: Deserializer<'de>>(&self, from: D) -> Result<T, D::Error> {
        T::deserialize(from)
    }
}

/// The way taken where serde knows the type.
pub trait KnownOut<T> {
    #[expect(missing_docs, reason = "serde's own words")]
    fn write<S: Serializer>(&self, value: &T, to: S) -> Result<S::Ok, S::Error>;
}

impl<T: Serialize> KnownOut<T> for Through<T> {
    fn write<S: Serializer>(&self, value: &T, to: S) -> Result<S::Ok, S::Error> {
        value.serialize(to)
    }
}

/// The way taken where it doesn't, in code that the compiler refuses for that.
pub trait Unknown<T> {
    #[expect(missing_docs, reason = "serde's own words")]
    fn read<'de, D: Deserializer<'de>>(&self, from: D) -> Result<T, D::Error>;
    #[expect(missing_docs, reason = "serde's own words")]
    fn write<S: Serializer>(&self, value: &T, to: S) -> Result<S::Ok, S::Error>;
}

// A reference more than the others need, so that these are tried last.
impl<T> Unknown<T> for &Through<T> {
    fn read<'de, D: Deserializer<'de>>(&self, _: D) -> Result<T, D::Error> {
        Err(serde::de::Error::custom("the type cannot be read"))
    }

    fn write<S: Serializer>(&self, _: &T, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("the type cannot be written"))
    }
}
