//! Schemas of the standard library's types.
//!
//! Schemas of integers contain the bounds of their type, so that accepted values can be deserialized.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    hash::{BuildHasher, Hash},
    net::{Ipv4Addr, Ipv6Addr},
    num::{NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{Array, Change, Decimal, Format, Integer, Kind, Map, Number, Parameter, Schema, StringRules};

/// Returns the [`STANDARD`](Parameter::STANDARD) of a type with one argument.
const fn of_one(container: u64, argument: u64) -> u64 {
    if argument == 0 || argument >> 56 != 0 { 0 } else { argument << 4 | container }
}

impl Parameter for bool {
    const SCHEMA: Schema = Schema::new(Kind::Boolean);
    const STANDARD: u64 = 1;
    type Partial = Self;
}

const fn integer(minimum: i128, maximum: i128) -> Schema {
    Schema::new(Kind::Integer(Integer {
        minimum: Some(minimum),
        maximum: Some(maximum),
        exclusive_minimum: false,
        exclusive_maximum: false,
        multiple_of: None,
        one_of: None,
    }))
}

macro_rules! integers {
    ($($name:ty = $standard:literal),*) => {$(
        impl Parameter for $name {
            const SCHEMA: Schema = integer(Self::MIN as i128, Self::MAX as i128);
            const STANDARD: u64 = $standard;
            type Partial = Self;
        }
    )*};
}
// The bounds of `usize` and `isize` are those of the target, which the macros don't know.
integers!(u8 = 2, u16 = 3, u32 = 4, u64 = 5, usize = 0, i8 = 6, i16 = 7, i32 = 8, i64 = 9, isize = 0);

// Signed ones are not supported: bounds can't exclude zero in the middle of a range.
macro_rules! positive_integers {
    ($($name:ty),*) => {$(
        impl Parameter for $name {
            const SCHEMA: Schema = integer(Self::MIN.get() as i128, Self::MAX.get() as i128);
            type Partial = Self;
        }
    )*};
}
positive_integers!(NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64, NonZeroUsize);

const ANY_NUMBER: Number =
    Number { minimum: None, maximum: None, exclusive_minimum: false, exclusive_maximum: false, multiple_of: None };

impl Parameter for f64 {
    const SCHEMA: Schema = Schema::new(Kind::Number(ANY_NUMBER));
    const STANDARD: u64 = 10;
    type Partial = Self;
}

impl Parameter for f32 {
    const SCHEMA: Schema = Schema::new(Kind::Number(Number {
        minimum: Some(Decimal { value: Self::MIN as f64, text: "-3.4028234663852886e38" }),
        maximum: Some(Decimal { value: Self::MAX as f64, text: "3.4028234663852886e38" }),
        ..ANY_NUMBER
    }));
    type Partial = Self;
}

impl Parameter for String {
    const SCHEMA: Schema = Schema::new(Kind::String(StringRules::ANY));
    const STANDARD: u64 = 11;
    type Partial = Self;
}

impl Parameter for char {
    const SCHEMA: Schema =
        Schema::new(Kind::String(StringRules { min_length: Some(1), max_length: Some(1), ..StringRules::ANY }));
    type Partial = Self;
}

impl Parameter for Ipv4Addr {
    const SCHEMA: Schema = Schema::new(Kind::String(StringRules { format: Some(Format::Ipv4), ..StringRules::ANY }));
    type Partial = Self;
}

impl Parameter for Ipv6Addr {
    const SCHEMA: Schema = Schema::new(Kind::String(StringRules { format: Some(Format::Ipv6), ..StringRules::ANY }));
    type Partial = Self;
}

impl Parameter for serde_json::Value {
    const SCHEMA: Schema = Schema::new(Kind::Any);
    type Partial = Self;
}

impl<T: Parameter> Parameter for Box<T> {
    const SCHEMA: Schema = T::SCHEMA;
    const OPTIONAL: bool = T::OPTIONAL;
    const HOLDS_OPTIONAL: bool = T::HOLDS_OPTIONAL;
    const WITHOUT_PARTIAL: Option<&'static str> = T::WITHOUT_PARTIAL;
    type Partial = Box<T::Partial>;
}

/// A property that may be absent. `null` does not count as absent.
impl<T: Parameter> Parameter for Option<T> {
    const SCHEMA: Schema = T::SCHEMA;
    const OPTIONAL: bool = true;
    const HOLDS_OPTIONAL: bool = T::HOLDS_OPTIONAL;
    const WITHOUT_PARTIAL: Option<&'static str> = T::WITHOUT_PARTIAL;
    const STANDARD: u64 = of_one(1, T::STANDARD);
    type Partial = T::Partial;
}

const fn list(items: &'static Schema, unique: bool) -> Schema {
    Schema::new(Kind::Array(Array { items, min_items: None, max_items: None, unique }))
}

impl<T: Parameter> Parameter for Vec<T> {
    const SCHEMA: Schema = list(&const { T::SCHEMA }, false);
    const HOLDS_OPTIONAL: bool = T::OPTIONAL || T::HOLDS_OPTIONAL;
    const STANDARD: u64 = of_one(2, T::STANDARD);
    type Partial = Self;
}

impl<T: Parameter, const N: usize> Parameter for [T; N]
where
    [T; N]: Serialize + DeserializeOwned,
{
    const SCHEMA: Schema = Schema::new(Kind::Array(Array {
        items: &const { T::SCHEMA },
        min_items: Some(N as u64),
        max_items: Some(N as u64),
        unique: false,
    }));
    const HOLDS_OPTIONAL: bool = T::OPTIONAL || T::HOLDS_OPTIONAL;
    type Partial = Self;
}

impl<T: Parameter + Ord> Parameter for BTreeSet<T> {
    const SCHEMA: Schema = list(&const { T::SCHEMA }, true);
    const HOLDS_OPTIONAL: bool = T::OPTIONAL || T::HOLDS_OPTIONAL;
    type Partial = Self;
}

impl<T: Parameter + Eq + Hash, H: BuildHasher + Default> Parameter for HashSet<T, H> {
    const SCHEMA: Schema = list(&const { T::SCHEMA }, true);
    const HOLDS_OPTIONAL: bool = T::OPTIONAL || T::HOLDS_OPTIONAL;
    type Partial = Self;
}

const fn map(values: &'static Schema) -> Schema {
    Schema::new(Kind::Map(Map { values, min_properties: None, max_properties: None }))
}

/// The type of the keys of a map.
#[diagnostic::on_unimplemented(
    message = "the keys of a map in parameters and credentials are strings",
    label = "`{Self}` is not `String`",
    note = "write `String` for the key, or make the map a list of structs"
)]
pub trait MapKey: Serialize + DeserializeOwned + Ord + Hash {}
impl MapKey for String {}

/// In an update, `null` removes the entry.
impl<K: MapKey, V: Parameter> Parameter for BTreeMap<K, V> {
    const SCHEMA: Schema = map(&const { V::SCHEMA });
    const HOLDS_OPTIONAL: bool = V::OPTIONAL || V::HOLDS_OPTIONAL;
    const WITHOUT_PARTIAL: Option<&'static str> = V::WITHOUT_PARTIAL;
    type Partial = BTreeMap<K, Change<V::Partial>>;
}

/// In an update, `null` removes the entry.
impl<K: MapKey, V: Parameter, H: BuildHasher + Default> Parameter for HashMap<K, V, H> {
    const SCHEMA: Schema = map(&const { V::SCHEMA });
    const HOLDS_OPTIONAL: bool = V::OPTIONAL || V::HOLDS_OPTIONAL;
    const WITHOUT_PARTIAL: Option<&'static str> = V::WITHOUT_PARTIAL;
    type Partial = HashMap<K, Change<V::Partial>, H>;
}
