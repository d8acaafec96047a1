//! The model of schemas: plain data for constants. Serialized, a schema is one flat object, with properties and variants
//! by name, as in the catalog lock.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::text::same;

/// A string and its JSON form, including the quotes.
///
/// Escaping a string in const evaluation is much slower than copying it, so the macros generate both forms.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// `None` if it stands in `json` as it is. Cutting off the quotes costs const evaluation more than most uses of a text.
    raw: Option<&'static str>,
    json: &'static str,
}

impl Text {
    /// Returns the string.
    #[must_use]
    pub const fn get(&self) -> &'static str {
        match self.raw {
            Some(raw) => raw,
            None => self.json.split_at(self.json.len() - 1).0.split_at(1).1,
        }
    }

    /// Returns whether it is the same string, without cutting off the quotes.
    #[must_use]
    pub fn is(&self, other: &str) -> bool {
        match self.raw {
            Some(raw) => raw == other,
            None => self.json.len() - 2 == other.len() && self.json.as_bytes()[1..].starts_with(other.as_bytes()),
        }
    }

    /// Returns the string as JSON, including the quotes.
    #[must_use]
    pub const fn json(&self) -> &'static str {
        self.json
    }

    #[doc(hidden)] // for the macros, which escape `raw` themselves
    #[must_use]
    pub const fn new(raw: &'static str, json: &'static str) -> Self {
        Self { raw: Some(raw), json }
    }

    #[doc(hidden)] // for the macros: text that is the same in JSON, which stands in quotes
    #[must_use]
    pub const fn plain(json: &'static str) -> Self {
        Self { raw: None, json }
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Text {}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

/// A number with a decimal point, and its digits in the source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decimal {
    /// The value.
    pub value: f64,
    /// The number in JSON.
    pub text: &'static str,
}

/// A constant JSON value: a default or an example.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names are JSON's own")]
pub enum Literal {
    Null,
    Boolean(bool),
    Integer(i128),
    Number(Decimal),
    String(Text),
    Array(&'static [Literal]),
    Object(&'static [(Text, Literal)]),
}

/// The schema of a value: its kind, constraints and annotations.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Schema {
    /// The kind of value, with its constraints.
    #[serde(flatten)]
    pub kind: Kind,
    /// A short name, `title` in JSON Schema.
    pub title: Option<Text>,
    /// The purpose of the value, `description` in JSON Schema.
    pub description: Option<Text>,
    /// The value that is used if the property is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Literal>,
    /// Examples for the documentation. They are not in the catalog, because draft-04 has no keyword for them.
    pub examples: &'static [Literal],
    /// `true` if `null` is accepted, which only occurs in updates, where it resets a property (RFC 7386).
    pub nullable: bool,
    /// `true` if error messages, logs and fetches must not contain the value.
    pub secret: bool,
}

/// The kinds of value that a parameter can have.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Kind {
    /// Any JSON value (`serde_json::Value`).
    Any,
    /// `true` or `false`.
    Boolean,
    /// A number without a decimal point.
    Integer(Integer),
    /// Any number.
    Number(Number),
    /// A string.
    String(StringRules),
    /// One of several strings: an enum without fields.
    #[serde(serialize_with = "choices")]
    Choice(&'static [Choice]),
    /// A list.
    #[serde(rename = "list")]
    Array(Array),
    /// An object with arbitrary property names.
    Map(Map),
    /// An object with fixed property names: a struct.
    Object(Object),
    /// One of several objects, distinguished by one property: an internally tagged enum.
    Tagged(Tagged),
    /// A type whose schema `schemars` knows only at run time.
    #[serde(serialize_with = "foreign")]
    Foreign(ForeignType),
}

/// The rules of a whole number. Bounds are inclusive unless they are marked as exclusive.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[expect(missing_docs, reason = "the names are keywords of JSON Schema")]
pub struct Integer {
    pub minimum: Option<i128>,
    pub maximum: Option<i128>,
    pub exclusive_minimum: bool,
    pub exclusive_maximum: bool,
    pub multiple_of: Option<i128>,
    /// The only values, if the author lists them: `enum`.
    pub one_of: Option<&'static [i128]>,
}

impl Integer {
    /// Returns whether bounds and divisor allow a value.
    pub(super) const fn allows(&self, value: i128) -> bool {
        let is_enough = match self.minimum {
            Some(low) => value > low || value == low && !self.exclusive_minimum,
            None => true,
        };
        let is_not_too_much = match self.maximum {
            Some(high) => value < high || value == high && !self.exclusive_maximum,
            None => true,
        };
        let is_multiple = match self.multiple_of {
            Some(divisor @ 1..) => value % divisor == 0,
            _ => true,
        };
        is_enough && is_not_too_much && is_multiple
    }

    /// Returns the listed values that the other rules allow, if the author lists values.
    pub fn values(&self) -> Option<impl Iterator<Item = i128>> {
        Some(self.one_of?.iter().copied().filter(|value| self.allows(*value)))
    }
}

/// The rules of a number. Bounds are inclusive unless they are marked as exclusive.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[expect(missing_docs, reason = "the names are keywords of JSON Schema")]
pub struct Number {
    pub minimum: Option<Decimal>,
    pub maximum: Option<Decimal>,
    pub exclusive_minimum: bool,
    pub exclusive_maximum: bool,
    pub multiple_of: Option<Decimal>,
}

/// The rules of a string. Lengths count characters (code points), as JSON Schema does.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[expect(missing_docs, reason = "the names are keywords of JSON Schema")]
pub struct StringRules {
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    pub pattern: Option<Pattern>,
    pub format: Option<Format>,
}

/// A regular expression: its ECMA-262 source for the schema, and a function that matches it.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub struct Pattern {
    /// The source in the schema.
    pub source: Text,
    /// Returns whether a string matches, as `source` does in ECMA-262.
    #[serde(skip)]
    pub matches: fn(&str) -> bool,
}

impl core::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Pattern").field(&self.source.get()).finish()
    }
}

/// One value of an enum without fields.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The string on the wire.
    pub value: Text,
    /// The meaning of the value.
    pub description: Option<Text>,
}

/// The rules of a list.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(missing_docs, reason = "the names are keywords of JSON Schema")]
pub struct Array {
    pub items: &'static Schema,
    #[serde(rename = "min_length")]
    pub min_items: Option<u64>,
    #[serde(rename = "max_length")]
    pub max_items: Option<u64>,
    pub unique: bool,
}

/// The rules of an object with arbitrary property names.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(missing_docs, reason = "the names are keywords of JSON Schema")]
pub struct Map {
    #[serde(rename = "items")]
    pub values: &'static Schema,
    #[serde(rename = "min_length")]
    pub min_properties: Option<u64>,
    #[serde(rename = "max_length")]
    pub max_properties: Option<u64>,
}

/// The rules of an object with fixed property names.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Object {
    /// The properties, in the order of the fields.
    #[serde(serialize_with = "by_name")]
    pub properties: &'static [Property],
    /// `true` if other properties are accepted and ignored.
    pub open: bool,
}

impl Object {
    /// Returns the property that has this name on the wire.
    #[must_use]
    pub const fn property(&self, name: &str) -> Option<&'static Property> {
        let mut i = 0;
        while i < self.properties.len() {
            if same(self.properties[i].name.get(), name) {
                return Some(&self.properties[i]);
            }
            i += 1;
        }
        None
    }
}

/// One property of an object.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Property {
    /// The name on the wire.
    #[serde(skip)]
    pub name: Text,
    /// The schema of the value.
    #[serde(flatten)]
    pub schema: Schema,
    /// Former names, which are still accepted.
    pub aliases: &'static [&'static str],
    /// `true` if the property must be present: the field is not an `Option` and has no default.
    pub required: bool,
    /// `true` if an update must not change it.
    pub immutable: bool,
    /// `true` if it is not stored: each update that has it calls the handler.
    pub update_only: bool,
}

impl Property {
    /// Returns the current and the former names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name.get()).chain(self.aliases.iter().copied())
    }

    /// Returns whether `name` is the current or a former name.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }
}

/// The rules of an internally tagged enum.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Tagged {
    /// The property that contains the name of the variant.
    pub tag: Text,
    /// The variants.
    #[serde(serialize_with = "variants")]
    pub variants: &'static [Variant],
}

/// One variant of an internally tagged enum.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The value of the tag.
    pub name: Text,
    /// The meaning of the variant.
    pub description: Option<Text>,
    /// The other properties.
    pub object: Object,
}

/// A type whose schema comes from `schemars`, see [`Foreign`](super::Foreign).
#[derive(Clone, Copy)]
pub struct ForeignType {
    /// The name of the Rust type, for messages.
    pub type_name: fn() -> &'static str,
    /// Returns the type's schema, converted to draft-04.
    pub schema: fn() -> serde_json::Value,
    /// Checks that a value can be deserialized as the type.
    pub accept: fn(&serde_json::Value) -> Result<(), String>,
}

impl core::fmt::Debug for ForeignType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Foreign").field(&(self.type_name)()).finish()
    }
}

/// The values of `format`. There are only those that this crate validates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// `date-time`: RFC 3339.
    DateTime,
    /// `email`: RFC 5321, without quoted strings and address literals.
    Email,
    /// `hostname`: RFC 1123.
    Hostname,
    /// `ipv4`: four decimal numbers.
    Ipv4,
    /// `ipv6`: RFC 4291.
    Ipv6,
    /// `uri`: an absolute URI, RFC 3986.
    Uri,
}

impl Format {
    /// Returns the value of `format` in JSON Schema.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DateTime => "date-time",
            Self::Email => "email",
            Self::Hostname => "hostname",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::Uri => "uri",
        }
    }
}

impl Schema {
    /// Creates a schema of `kind` without annotations.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self { kind, title: None, description: None, default: None, examples: &[], nullable: false, secret: false }
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if let Ok(whole) = self.text.parse() { to.serialize_i64(whole) } else { to.serialize_f64(self.value) }
    }
}

impl Serialize for Literal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        serde_json::Value::from(self).serialize(to)
    }
}

fn choices<S: Serializer>(choices: &[Choice], to: S) -> Result<S::Ok, S::Error> {
    let values: Vec<_> = choices.iter().map(|choice| choice.value).collect();
    BTreeMap::from([("values", values)]).serialize(to)
}

fn foreign<S: Serializer>(foreign: &ForeignType, to: S) -> Result<S::Ok, S::Error> {
    BTreeMap::from([("foreign", (foreign.schema)())]).serialize(to)
}

fn by_name<S: Serializer>(properties: &[Property], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(properties.iter().map(|one| (one.name.get(), one)).collect::<BTreeMap<_, _>>())
}

fn variants<S: Serializer>(variants: &[Variant], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(variants.iter().map(|one| (one.name.get(), Kind::Object(one.object))).collect::<BTreeMap<_, _>>())
}
