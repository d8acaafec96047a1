//! The document and the checks of a type whose document the macro wrote, although a field's type only has the name of a standard one.
//!
//! Everything is behind a function, so that const evaluation does not come here for other types.

use core::marker::PhantomData;

use super::{
    Literal, Parameter, Schema,
    builder::Rule,
    constraints::{check_constraint, check_rule},
    json::{MAX_BYTES, measure, write},
    literal::check_literal,
};

/// The document of `T` in a buffer of fixed size.
struct Written<T, const ROOM: usize>(PhantomData<T>);

impl<T: Parameter, const ROOM: usize> Written<T, ROOM> {
    const BYTES: &'static [u8; ROOM] = &write(&T::SCHEMA);
}

/// Returns the document of a type; empty if it is known only at run time.
#[must_use]
pub const fn document_of<T: Parameter>() -> &'static [u8] {
    const SMALL: usize = 4096;
    // Platforms accept no larger one, and the error mentions its size.
    const LARGE: usize = MAX_BYTES * 16;
    const fn of<T: Parameter, const ROOM: usize>(len: usize) -> &'static [u8] {
        Written::<T, ROOM>::BYTES.split_at(if len < ROOM { len } else { ROOM }).0
    }
    let schema = const { &T::SCHEMA };
    match measure(schema) {
        _ if schema.has_foreign() => b"",
        len @ ..=SMALL => of::<T, SMALL>(len),
        len @ ..=MAX_BYTES => of::<T, MAX_BYTES>(len),
        len => of::<T, LARGE>(len),
    }
}

/// Reports the first rule of a field that its type, whose schema is `base`, can't have, or a wrong default.
#[track_caller]
pub const fn check_named(base: &Schema, name: &str, rules: &[Rule], default: Option<&Literal>) {
    let schema = &(*base).with(rules);
    let mut at = 0;
    while at < rules.len() {
        let word = match &rules[at] {
            Rule::Minimum(..) | Rule::Maximum(..) => "range",
            Rule::MultipleOf(_) => "multiple_of",
            Rule::OneOf(_) => "one_of",
            Rule::Length(..) => "length",
            Rule::Pattern(_) => "pattern",
            Rule::Format(_) => "format",
            Rule::Unique => "unique",
        };
        check_constraint(base, schema, name, word);
        check_rule(base, name, &rules[at]);
        at += 1;
    }
    if let Some(default) = default {
        check_literal(schema, "the default", name, default);
    }
}
