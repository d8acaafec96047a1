//! Functions and traits for the code that `#[parameters]` generates.

use regex::Regex;
use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
    ser::SerializeStruct,
};

use super::{Change, Literal, Parameter, Schema};
use crate::text::Message;

/// Compiles a pattern that the macro has already validated.
///
/// # Panics
///
/// If the pattern is invalid.
#[must_use]
pub fn compiled(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap_or_else(|error| panic!("the macro accepted an invalid pattern: {error}"))
}

/// Returns the value of a default that can't be written as a Rust literal, by the function that reads the field.
///
/// A request never gets here, since [`decode`](super::decode) fills in defaults before serde needs them.
///
/// # Panics
///
/// If the type can't be deserialized from the value, although its schema accepts it.
#[must_use]
pub fn default_value<T>(literal: &Literal, read: fn(serde_json::Value) -> Result<T, serde_json::Error>) -> T {
    read(serde_json::Value::from(literal)).unwrap_or_else(|error| {
        panic!("the default of a {} can't be deserialized: {error}", std::any::type_name::<T>())
    })
}

/// See [`Parameter::WITHOUT_PARTIAL`].
#[must_use]
pub const fn without_partial(schema: &Schema, message: &'static str) -> Option<&'static str> {
    if schema.has_gaps() { Some(message) } else { None }
}

/// Returns the schema of a field's type, which the field names itself. If the field's tokens show no `Option`, the type
/// `must_be_present`: the partial type depends on the tokens.
#[must_use]
#[track_caller]
pub const fn schema_of<T: Parameter>(schema: Schema, must_be_present: bool, field: &str) -> Schema {
    check_option(must_be_present && T::OPTIONAL, T::HOLDS_OPTIONAL, field);
    schema
}

#[track_caller]
const fn check_option(is_optional: bool, holds_optional: bool, field: &str) {
    if is_optional {
        Message::new("the type of ").text(field).text(" hides an `Option`; help: write `Option<...>` here").panic();
    }
    if holds_optional {
        Message::new("the type of ")
            .text(field)
            .text(" hides an `Option` in a list or a map, whose values cannot be absent; help: write the type without `Option`")
            .panic();
    }
}

/// Compiles only if `T` can be used in parameters. Returns `true`.
#[must_use]
pub const fn is_parameter<T: Parameter>() -> bool {
    true
}

/// [`Parameter`] for the fields of a type with a partial type, if `CHECKED` is the result of [`is_parameter`]. Where that
/// doesn't compile, `CHECKED` has an error and so has the type of each change, and the compiler finds no other fault with
/// it. It would report a type that isn't a `Parameter` wherever the partial type is mentioned.
pub trait Changed<const CHECKED: bool> {
    #[expect(missing_docs, reason = "the same as in `Parameter`")]
    type Partial: Parameter;
    #[expect(missing_docs, reason = "the same as in `Parameter`")]
    const SCHEMA: Schema;
    #[expect(missing_docs, reason = "the same as in `Parameter`")]
    const OPTIONAL: bool;
    #[expect(missing_docs, reason = "the same as in `Parameter`")]
    const HOLDS_OPTIONAL: bool;
    #[expect(missing_docs, reason = "the same as in `Parameter`")]
    const WITHOUT_PARTIAL: Option<&'static str>;
}

impl<T: Parameter> Changed<true> for T {
    type Partial = T::Partial;
    const SCHEMA: Schema = T::SCHEMA;
    const OPTIONAL: bool = T::OPTIONAL;
    const HOLDS_OPTIONAL: bool = T::HOLDS_OPTIONAL;
    const WITHOUT_PARTIAL: Option<&'static str> = T::WITHOUT_PARTIAL;
}

/// Checks that a field can be used in a type with a partial type; see [`schema_of`].
#[track_caller]
pub const fn check_partial(is_optional: bool, holds_optional: bool, without: Option<&str>, field: &str) {
    check_option(is_optional, holds_optional, field);
    if let Some(message) = without {
        Message::new(message).panic();
    }
}

/// Reports a field or a variant whose name others have on the wire: those of `others` that have a `cfg` which applies.
#[track_caller]
pub const fn check_distinct(others: &[&str], field: &str) {
    if let [name, ..] = others {
        Message::new("another ")
            .text(field)
            .text(" is called ")
            .name(name)
            .text(" on the wire too; help: choose another name with `#[param(rename = \"...\")]`, or a `cfg` that excludes the other")
            .panic();
    }
}

/// Returns the length of the result of [`quoted`].
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

/// Converts `text` to a JSON string, including the quotes.
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

/// Converts UTF-8 to a string.
///
/// # Panics
///
/// At compile time, if `bytes` is not UTF-8.
#[must_use]
pub const fn text_of(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => panic!("a generated text is not UTF-8"),
    }
}

/// Escapes a byte of a JSON string. Returns the escaped bytes and their number.
const fn escape(byte: u8) -> ([u8; 6], usize) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    match byte {
        b'"' | b'\\' => ([b'\\', byte, 0, 0, 0, 0], 2),
        0..0x20 => ([b'\\', b'u', b'0', b'0', HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]], 6),
        _ => ([byte, 0, 0, 0, 0, 0], 1),
    }
}

/// The types of constants whose names can stand for whole numbers. Fractions would be truncated.
#[diagnostic::on_unimplemented(
    message = "the constant for a whole number has the type `{Self}`",
    label = "not the name of a constant with a whole number",
    note = "write the digits here, which can be a fraction for an `f64`, or the name of a constant like `const MAX: u32 = 10;`"
)]
pub trait WholeNumber {
    /// The type itself. Of another type it is unknown, so that the compiler reports nothing else.
    type Itself;
}

/// The types of constants whose names can stand for a text.
#[diagnostic::on_unimplemented(
    message = "the constant for a text has the type `{Self}`",
    label = "not the name of a constant with a text",
    note = "write the text here, or the name of a constant like `const REGION: &str = \"eu\";`"
)]
pub trait ConstantText {
    /// See [`WholeNumber::Itself`].
    type Itself;
}

/// The types of constants whose names can stand for `true` or `false`.
#[diagnostic::on_unimplemented(
    message = "the constant for a `bool` has the type `{Self}`",
    label = "not the name of a constant with `true` or `false`",
    note = "write `true` or `false` here, or the name of a constant like `const ON: bool = true;`"
)]
pub trait ConstantFlag {
    /// See [`WholeNumber::Itself`].
    type Itself;
}

macro_rules! constants {
    ($of:ident: $($name:ty)*) => {$(
        #[diagnostic::do_not_recommend] // a list of them is no help
        impl $of for $name {
            type Itself = $name;
        }
    )*};
}
// All are in the range of `i128`, to which generated code converts them.
constants!(WholeNumber: u8 u16 u32 u64 usize i8 i16 i32 i64 i128 isize);
constants!(ConstantText: &'static str);
constants!(ConstantFlag: bool);

/// Returns `value`, whose type is that of a whole number.
pub const fn whole_number<T: WholeNumber<Itself = T> + Copy>(value: T) -> T::Itself {
    value
}

/// Returns `value`, whose type is that of a text.
pub const fn constant_text<T: ConstantText<Itself = T> + Copy>(value: T) -> T::Itself {
    value
}

/// Returns `value`, whose type is `bool`.
pub const fn constant_flag<T: ConstantFlag<Itself = T> + Copy>(value: T) -> T::Itself {
    value
}

/// Deserializes and serializes a field if its type implements serde's traits, and fails otherwise.
///
/// serde's derives require these traits of every field in five places, so a type without `#[parameters]` would
/// make five errors. With this type they require nothing, and the only error is the one for [`Parameter`].
pub struct SerdeProbe<T>(PhantomData<T>);

impl<T> SerdeProbe<T> {
    /// Creates the probe for a field's type.
    #[expect(clippy::new_without_default, reason = "only generated code uses it")]
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

/// Deserialization of types that implement serde's trait.
pub trait ViaSerde<'de, T> {
    #[expect(missing_docs, reason = "the same as in serde")]
    fn read<D: Deserializer<'de>>(&self, from: D) -> Result<T, D::Error>;
    /// See [`read_part`].
    #[expect(clippy::missing_errors_doc, reason = "as in serde")]
    fn read_part<A: MapAccess<'de>>(
        &self,
        part: &mut Option<T>,
        name: &'static str,
        from: &mut A,
    ) -> Result<bool, A::Error>;
}

impl<'de, T: Deserialize<'de>> ViaSerde<'de, T> for SerdeProbe<T> {
    fn read<D: Deserializer<'de>>(&self, from: D) -> Result<T, D::Error> {
        T::deserialize(from)
    }

    fn read_part<A: MapAccess<'de>>(
        &self,
        part: &mut Option<T>,
        name: &'static str,
        from: &mut A,
    ) -> Result<bool, A::Error> {
        read_part(part, name, from)
    }
}

/// Serialization of types that implement serde's trait.
pub trait ViaSerialize<T> {
    #[expect(missing_docs, reason = "the same as in serde")]
    fn write<S: Serializer>(&self, value: &T, to: S) -> Result<S::Ok, S::Error>;
    /// See [`MemberWriter::member`].
    fn member<W: MemberWriter>(&self, to: &mut W, name: &'static str, value: &T, is_absent: bool);
}

impl<T: Serialize> ViaSerialize<T> for SerdeProbe<T> {
    fn write<S: Serializer>(&self, value: &T, to: S) -> Result<S::Ok, S::Error> {
        value.serialize(to)
    }

    fn member<W: MemberWriter>(&self, to: &mut W, name: &'static str, value: &T, is_absent: bool) {
        to.member(name, value, is_absent);
    }
}

/// The fallback for all other types. The compiler rejects such code for another reason.
pub trait NoSerde<T> {
    #[expect(missing_docs, reason = "the same as in serde")]
    fn read<'de, D: Deserializer<'de>>(&self, from: D) -> Result<T, D::Error>;
    #[expect(missing_docs, reason = "the same as in serde")]
    fn write<S: Serializer>(&self, value: &T, to: S) -> Result<S::Ok, S::Error>;
    /// Reads nothing.
    #[expect(clippy::missing_errors_doc, reason = "as in serde")]
    fn read_part<'de, A: MapAccess<'de>>(
        &self,
        part: &mut Option<T>,
        name: &'static str,
        from: &mut A,
    ) -> Result<bool, A::Error>;
    /// Writes nothing.
    fn member<W: MemberWriter>(&self, to: &mut W, name: &'static str, value: &T, is_absent: bool);
}

// Implemented for a reference, so that method resolution finds the other traits first.
impl<T> NoSerde<T> for &SerdeProbe<T> {
    fn read<'de, D: Deserializer<'de>>(&self, _: D) -> Result<T, D::Error> {
        Err(D::Error::custom("the type can't be deserialized"))
    }

    fn write<S: Serializer>(&self, _: &T, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("the type can't be serialized"))
    }

    fn read_part<'de, A: MapAccess<'de>>(
        &self,
        _: &mut Option<T>,
        _: &'static str,
        _: &mut A,
    ) -> Result<bool, A::Error> {
        Err(A::Error::custom("the type can't be deserialized"))
    }

    fn member<W: MemberWriter>(&self, _: &mut W, _: &'static str, _: &T, _: bool) {}
}

/// A type whose members are read one by one; none is required.
pub trait ReadMembers: Sized {
    /// The names of the members.
    const NAMES: &'static [&'static str];
    /// `true` if other members are accepted.
    const OPEN: bool;

    /// Reads a member, and returns whether there is one with this name.
    #[expect(clippy::missing_errors_doc, reason = "that of the value")]
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, from: &mut A) -> Result<bool, A::Error>;
}

/// Deserializes an object; `absent` has no members.
#[expect(clippy::missing_errors_doc, reason = "as in serde")]
pub fn read_object<'de, T: ReadMembers, D: Deserializer<'de>>(absent: T, from: D) -> Result<T, D::Error> {
    /// A name, which isn't copied if the deserializer lends it.
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Name<'t>(#[serde(borrow)] Cow<'t, str>);
    struct Object<T>(T);
    impl<'de, T: ReadMembers> Visitor<'de> for Object<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<T, A::Error> {
            let Self(mut object) = self;
            while let Some(Name(name)) = from.next_key()? {
                if object.read(&name, &mut from)? {
                    continue;
                }
                if !T::OPEN {
                    return Err(A::Error::unknown_field(&name, T::NAMES));
                }
                from.next_value::<IgnoredAny>()?;
            }
            Ok(object)
        }
    }
    from.deserialize_map(Object(absent))
}

/// Reads the change of a property.
#[expect(clippy::missing_errors_doc, reason = "as in serde")]
pub fn read_change<'de, T, A>(change: &mut T, name: &'static str, from: &mut A) -> Result<bool, A::Error>
where
    T: MaybeAbsent + Deserialize<'de>,
    A: MapAccess<'de>,
{
    if !change.is_absent() {
        return Err(A::Error::duplicate_field(name));
    }
    *change = from.next_value()?;
    Ok(true)
}

/// Reads a member that occurs once.
#[expect(clippy::missing_errors_doc, reason = "as in serde")]
pub fn read_part<'de, T, A>(part: &mut Option<T>, name: &'static str, from: &mut A) -> Result<bool, A::Error>
where
    T: Deserialize<'de>,
    A: MapAccess<'de>,
{
    if part.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    *part = Some(from.next_value()?);
    Ok(true)
}

/// Returns a member that has to be there.
#[expect(clippy::missing_errors_doc, reason = "as in serde")]
pub fn required<T, E: Error>(part: Option<T>, name: &'static str) -> Result<T, E> {
    part.ok_or_else(|| E::missing_field(name))
}

/// A type whose members are written one by one.
pub trait WriteMembers {
    /// Writes all members.
    fn write<W: MemberWriter>(&self, to: &mut W);
}

/// The destination of members.
pub trait MemberWriter {
    /// Writes a member, unless it is absent.
    fn member<T: Serialize>(&mut self, name: &'static str, value: &T, is_absent: bool);
}

/// Serializes an object; `name` is that of its type.
#[expect(clippy::missing_errors_doc, reason = "as in serde")]
pub fn write_object<T: WriteMembers, S: Serializer>(object: &T, name: &'static str, to: S) -> Result<S::Ok, S::Error> {
    /// Counts the members, as serde wants to know their number first.
    struct Counter(usize);
    impl MemberWriter for Counter {
        fn member<T: Serialize>(&mut self, _: &'static str, _: &T, is_absent: bool) {
            self.0 += usize::from(!is_absent);
        }
    }
    struct Writer<S: SerializeStruct> {
        to: S,
        written: Result<(), S::Error>,
    }
    impl<S: SerializeStruct> MemberWriter for Writer<S> {
        fn member<T: Serialize>(&mut self, name: &'static str, value: &T, is_absent: bool) {
            if self.written.is_ok() {
                self.written = if is_absent { self.to.skip_field(name) } else { self.to.serialize_field(name, value) };
            }
        }
    }
    let mut counter = Counter(0);
    object.write(&mut counter);
    let mut writer = Writer { to: to.serialize_struct(name, counter.0)?, written: Ok(()) };
    object.write(&mut writer);
    writer.written?;
    writer.to.end()
}

/// The type of a field of a partial type.
pub trait MaybeAbsent {
    /// Returns whether the update has no such property.
    fn is_absent(&self) -> bool;
}

impl<T> MaybeAbsent for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> MaybeAbsent for Change<T> {
    fn is_absent(&self) -> bool {
        self.is_keep()
    }
}
