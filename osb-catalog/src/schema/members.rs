//! Structs read and written member by member: the generated code has a few tokens for each field, and these functions do the rest.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, IgnoredAny, MapAccess, Visitor},
    ser::SerializeStruct,
};

use super::Change;

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
