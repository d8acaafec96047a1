//! The traits that parameter types implement.

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

use super::{
    Kind, Object, Schema,
    json::{published, render},
};

/// A type whose values can appear in parameters.
///
/// Implemented for the types of the standard library that JSON can hold, and by `#[parameters]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used in parameters",
    label = "no schema is known for `{Self}`",
    note = "put `#[parameters]` on `{Self}` if the type is yours",
    note = "a type from elsewhere that implements `schemars::JsonSchema` can stand here as `Foreign<{Self}>`, in a broker marked `#[broker(dynamic)]`"
)]
pub trait Parameter: Serialize + DeserializeOwned {
    /// What its values may be.
    const SCHEMA: Schema;

    /// Whether a property of this type may be absent, as an `Option` may.
    const OPTIONAL: bool = false;

    /// The name of the type in here that is merged property by property in an update, has properties that may be
    /// absent, and yet no partial type: decoding an update with it would fill in what nobody mentioned.
    #[doc(hidden)]
    const WITHOUT_PARTIAL: Option<&'static str> = None;

    /// The type that stands for a change of such a value in an update: the type itself where it is replaced as a
    /// whole, its partial type where it is merged property by property.
    type Partial: Parameter;
}

/// The parameters of an operation: an object, as the specification demands (CAT-55).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the parameters of a plan",
    label = "not an object that `#[parameters]` describes",
    note = "parameters are a struct with named fields that carries `#[parameters]`"
)]
pub trait Parameters: Parameter + Send + Sync + 'static {
    /// The schema as the catalog publishes it (draft-04, at most 64 kB); empty where the type contains a
    /// [`Foreign`](super::Foreign) one, whose schema is known only at run time.
    const JSON: &'static [u8];
}

/// What is in credentials; implemented by `#[credentials]`, for the documentation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be given out as credentials",
    label = "nothing is known about what is in it",
    note = "put `#[credentials]` on `{Self}`"
)]
pub trait CredentialsSchema: Serialize {
    /// What they consist of.
    const SCHEMA: Schema;
}

/// The parameters of an operation that takes none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoParameters {}

impl Parameter for NoParameters {
    const SCHEMA: Schema = Schema::new(Kind::Object(Object { properties: &[], open: false }));
    type Partial = Self;
}

#[diagnostic::do_not_recommend] // it is no help where a type lacks `#[parameters]`
impl Parameters for NoParameters {
    const JSON: &'static [u8] = &render::<{ published(&NoParameters::SCHEMA) }>(&NoParameters::SCHEMA);
}

/// What an update asks of one property.
///
/// Absent, `null` and a value are three different wishes in a PATCH (RFC 7386), which `Option` can't tell apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The property was not mentioned and keeps its value.
    #[default]
    Keep,
    /// The property was `null`: back to its default, or to nothing.
    Reset,
    /// The new value.
    To(T),
}

impl<T> Change<T> {
    /// The new value, if one was given.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::To(value) => Some(value),
            Self::Keep | Self::Reset => None,
        }
    }

    /// Whether the property was not mentioned.
    pub fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // An absent field never gets here: it is filled by `Default`.
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
