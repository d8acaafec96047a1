//! The traits of parameter types.

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

use super::{
    Kind, Object, Schema,
    json::{Draft, render},
};

/// A type whose values can appear in parameters.
///
/// `#[parameters]` implements it; this crate does so for types of the standard library that JSON can represent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in parameters or credentials",
    label = "`{Self}` has no schema",
    note = "put `#[parameters]` on `{Self}` if the type is yours, in credentials too",
    note = "if it is a type of another crate that implements `schemars::JsonSchema`, use `Foreign<{Self}>` and mark the broker `#[broker(dynamic)]`",
    note = "for a duration, write a number and name its unit, such as `ttl_seconds: u64`; for a time or a URL, a `String` with `format = \"date-time\"` or `\"uri\"`; for a path or a socket address, a `String`; for an IP address, `Ipv4Addr` or `Ipv6Addr`; for any JSON, `serde_json::Value`"
)]
pub trait Parameter: Serialize + DeserializeOwned {
    /// The schema of its values.
    const SCHEMA: Schema;

    /// `true` if a property of this type may be absent, like an `Option`.
    const OPTIONAL: bool = false;

    /// `true` if the elements of a list or the values of a map have such a type. They can't be absent.
    #[doc(hidden)]
    const HOLDS_OPTIONAL: bool = false;

    /// The message about a contained type that updates merge property by property and that has optional or immutable
    /// properties, but no partial type. An update would reset the properties that it does not mention, or change the others.
    #[doc(hidden)]
    const WITHOUT_PARTIAL: Option<&'static str> = None;

    /// A number that identifies a type whose schema the macros know by its name, and 0 for the others: a type of the author's can
    /// have the name of a standard one.
    #[doc(hidden)]
    const STANDARD: u64 = 0;

    /// The type of a change to such a value in an update: the type itself if an update replaces the whole value, its
    /// partial type if an update merges it property by property.
    type Partial: Parameter;
}

/// The parameters of an operation, which the specification requires to be an object (CAT-55).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameters of a plan",
    label = "not a struct with named fields under `#[parameters]`",
    note = "parameters are a struct of yours with named fields, or an enum with `tag`: put `#[parameters]` on it; other types are for fields",
    note = "credentials are not parameters: they are the `Output` of `Bind`; a plan whose bindings have no parameters is `bindable`"
)]
pub trait Parameters: Parameter + Send + Sync + 'static {
    /// The schema in the catalog (draft-04, at most 64 kB). It is empty if the type contains a
    /// [`Foreign`](super::Foreign) type, whose schema is known only at run time.
    const JSON: &'static [u8];

    /// `false` if the type has a mistake that leaves its properties unknown.
    #[doc(hidden)]
    const IS_KNOWN: bool = true;
}

/// A type of credentials. `#[credentials]` implements it, and the documentation uses its schema.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as credentials",
    label = "not a struct with `#[credentials]`",
    note = "credentials are a struct of yours: put `#[credentials]` on it, with the values as its fields",
    note = "other outputs stand for themselves: `type Output = LogDrain`"
)]
pub trait CredentialsSchema: Serialize {
    /// The schema of the credentials.
    const SCHEMA: Schema;
    /// The members that are the same in each binding: `type` and `provider` of the attribute.
    const CONSTANTS: &'static [(&'static str, &'static str)] = &[];
}

/// The parameters of an operation that has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParameters {}

impl Parameter for NoParameters {
    const SCHEMA: Schema = Schema::new(Kind::Object(Object { properties: &[], open: false }));
    type Partial = Self;
}

#[diagnostic::do_not_recommend] // it does not help where `#[parameters]` is missing
impl Parameters for NoParameters {
    const JSON: &'static [u8] = {
        const DRAFT: Draft = Draft::of(&NoParameters::SCHEMA);
        &render::<{ DRAFT.size() }>(&DRAFT, &NoParameters::SCHEMA)
    };
}

/// The change to one property in an update.
///
/// An absent property, `null` and a value have different meanings in a PATCH (RFC 7386), which `Option` can't
/// represent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The property is absent in the update and keeps its value.
    #[default]
    Keep,
    /// The property is `null` in the update, which resets it to its default, or removes it.
    Reset,
    /// The new value.
    To(T),
}

impl<T> Change<T> {
    /// Returns the new value, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::To(value) => Some(value),
            Self::Keep | Self::Reset => None,
        }
    }

    /// Returns whether the property is absent in the update.
    pub fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // This is not called for an absent field, for which serde uses `Default`.
        Ok(Option::deserialize(from)?.map_or(Self::Reset, Self::To))
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(to)
    }
}

impl<T: Parameter> Parameter for Change<T> {
    const SCHEMA: Schema = Schema { nullable: true, ..T::SCHEMA };
    const OPTIONAL: bool = true;
    type Partial = Self;
}
