//! The model: plain data that a `const` can hold.

use regex::Regex;

/// A string beside its JSON form, quotes included.
///
/// Escaping a string in a constant costs the compiler far more than copying it, so the macros write both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    raw: &'static str,
    json: &'static str,
}

impl Text {
    /// The string itself.
    #[must_use]
    pub const fn get(&self) -> &'static str {
        self.raw
    }

    /// The string as JSON, quotes included.
    #[must_use]
    pub const fn json(&self) -> &'static str {
        self.json
    }

    #[doc(hidden)] // for the macros, which escape `raw` themselves
    #[must_use]
    pub const fn new(raw: &'static str, json: &'static str) -> Self {
        Self { raw, json }
    }

    #[doc(hidden)] // for the macros: text that is the same in JSON, which stands in quotes
    #[must_use]
    pub const fn plain(json: &'static str) -> Self {
        let (_, raw) = json.split_at(1);
        let (raw, _) = raw.split_at(raw.len() - 1);
        Self { raw, json }
    }
}

/// A number with a decimal point, beside the digits it was written with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decimal {
    /// Its value.
    pub value: f64,
    /// How it is written in JSON.
    pub text: &'static str,
}

/// A JSON value in a constant: a default, an example.
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

/// What a value may be, and what is said about it.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The kind of value, with its constraints.
    pub kind: Kind,
    /// A short name for people, `title` in JSON Schema.
    pub title: Option<Text>,
    /// What the value is for, `description` in JSON Schema.
    pub description: Option<Text>,
    /// What is assumed when the value is absent.
    pub default: Option<Literal>,
    /// Values to show in the documentation. Draft-04 has no word for them, so they are not in the catalog.
    pub examples: &'static [Literal],
    /// Whether `null` is accepted; only in the parameters of an update, where it resets a property (RFC 7386).
    pub nullable: bool,
    /// Whether the value is never shown: not in error messages, not in logs, not by a fetch.
    pub secret: bool,
}

/// The kinds of value that a parameter can have.
#[derive(Debug, Clone, Copy)]
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
    Choice(&'static [Choice]),
    /// A list.
    Array(Array),
    /// An object whose property names are free.
    Map(Map),
    /// An object whose property names are fixed: a struct.
    Object(Object),
    /// One of several objects, told apart by one property: an internally tagged enum.
    Tagged(Tagged),
    /// A type whose schema `schemars` knows only at run time.
    Foreign(External),
}

/// The rules of a whole number. Bounds are part of the range unless said to be exclusive.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "JSON Schema's own words")]
pub struct Integer {
    pub minimum: Option<i128>,
    pub maximum: Option<i128>,
    pub exclusive_minimum: bool,
    pub exclusive_maximum: bool,
    pub multiple_of: Option<i128>,
}

/// The rules of a number. Bounds are part of the range unless said to be exclusive.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "JSON Schema's own words")]
pub struct Number {
    pub minimum: Option<Decimal>,
    pub maximum: Option<Decimal>,
    pub exclusive_minimum: bool,
    pub exclusive_maximum: bool,
    pub multiple_of: Option<Decimal>,
}

/// The rules of a string. Lengths count characters (code points), as JSON Schema does.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "JSON Schema's own words")]
pub struct StringRules {
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    pub pattern: Option<Pattern>,
    pub format: Option<Format>,
}

/// A regular expression: as published (ECMA-262), and as matched.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// As written in the schema.
    pub source: Text,
    /// Gives the compiled expression, which means the same as `source` does in ECMA-262.
    pub regex: fn() -> &'static Regex,
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
    /// What choosing it means.
    pub description: Option<Text>,
}

/// The rules of a list.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "JSON Schema's own words")]
pub struct Array {
    pub items: &'static Schema,
    pub min_items: Option<u64>,
    pub max_items: Option<u64>,
    pub unique: bool,
}

/// The rules of an object with free property names.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "JSON Schema's own words")]
pub struct Map {
    pub values: &'static Schema,
    pub min_properties: Option<u64>,
    pub max_properties: Option<u64>,
}

/// The rules of an object with fixed property names.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    /// The properties, in the order of the fields.
    pub properties: &'static [Property],
    /// Whether other properties are accepted (and ignored) too.
    pub open: bool,
}

/// One property of an object.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// The name on the wire.
    pub name: Text,
    /// Names that it had earlier, and that are still understood.
    pub aliases: &'static [&'static str],
    /// What its value may be.
    pub schema: Schema,
    /// Whether it has to be there: the field is no `Option` and has no default.
    pub required: bool,
    /// Whether an update may not change it.
    pub immutable: bool,
}

impl Property {
    /// Its name, and those that it had earlier.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name.get()).chain(self.aliases.iter().copied())
    }

    /// Whether `name` is one of its names.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }
}

/// The rules of an internally tagged enum.
#[derive(Debug, Clone, Copy)]
pub struct Tagged {
    /// The property that tells which variant it is.
    pub tag: Text,
    /// The variants.
    pub variants: &'static [Variant],
}

/// One variant of an internally tagged enum.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// The value of the tag.
    pub name: Text,
    /// What the variant means.
    pub description: Option<Text>,
    /// The other properties.
    pub object: Object,
}

/// A type that only `schemars` describes; it stands in [`Foreign`](super::Foreign).
#[derive(Clone, Copy)]
pub struct External {
    /// The name of the Rust type, for messages.
    pub type_name: fn() -> &'static str,
    /// Gives the type's schema, brought to draft-04.
    pub schema: fn() -> serde_json::Value,
    /// Says why a value is not of the type.
    pub accept: fn(&serde_json::Value) -> Result<(), String>,
}

impl core::fmt::Debug for External {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Foreign").field(&(self.type_name)()).finish()
    }
}

/// The values of `format` that this crate checks, and no others: a format that nobody checks would promise too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `date-time`: RFC 3339.
    DateTime,
    /// `email`: something, `@`, a domain.
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
    /// The word in JSON Schema.
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
    /// A schema of `kind` about which nothing more is said.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self { kind, title: None, description: None, default: None, examples: &[], nullable: false, secret: false }
    }
}
