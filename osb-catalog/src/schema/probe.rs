//! serde's traits of a field's type, which may lack them.

use std::marker::PhantomData;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess},
};

use super::members::{MemberWriter, read_part};

/// Deserializes and serializes a field if its type implements serde's traits, and fails otherwise.
///
/// serde's derives require these traits of every field in five places, so a type without `#[parameters]` would
/// make five errors. With this type they require nothing, and the only error is the one for [`Parameter`](super::Parameter).
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
