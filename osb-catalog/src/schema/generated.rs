//! Checks of the types of fields, and other functions for the code that `#[parameters]` generates.

use regex::Regex;

use super::{Literal, Parameter, Schema};
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
    /// The type itself.
    type Whole: Parameter;
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
    type Whole = T;
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
