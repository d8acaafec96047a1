//! Checks of the constraints on a field: at compile time, and for the plans of a deployment when the program starts.
//!
//! These functions see through aliases, newtypes and named constants. The macro names the field: "`ttl`", "an element of
//! `ports`".

use super::{
    builder::{Limit, Rule},
    decimal,
    literal::wrong_integer,
    model::{Integer, Kind, Literal, Schema},
};
use crate::text::{Message, same};

/// Returns a noun for the values that a schema accepts, for messages.
pub(super) const fn noun(schema: &Schema) -> &'static str {
    match &schema.kind {
        Kind::Any => "any JSON value",
        Kind::Boolean => "a boolean",
        Kind::Integer(_) => "a whole number",
        Kind::Number(_) => "a number",
        Kind::String(_) => "a string",
        Kind::Choice(_) => "one of several strings",
        Kind::Array(_) => "a list",
        Kind::Map(_) => "a map",
        Kind::Object(_) => "an object",
        Kind::Tagged(_) => "one of several objects",
        Kind::Foreign(_) => "known only at run time",
    }
}

/// Returns nouns for the values of two schemas, if no value fits both because of its type in JSON.
pub const fn mismatch(one: &Schema, other: &Schema) -> Option<[&'static str; 2]> {
    const fn json_type(schema: &Schema) -> u8 {
        match &schema.kind {
            Kind::Any | Kind::Foreign(_) => 0,
            Kind::Boolean => 1,
            Kind::Integer(_) | Kind::Number(_) => 2,
            Kind::String(_) | Kind::Choice(_) => 3,
            Kind::Array(_) => 4,
            Kind::Map(_) | Kind::Object(_) | Kind::Tagged(_) => 5,
        }
    }
    match (json_type(one), json_type(other)) {
        (0, _) | (_, 0) => None,
        (a, b) if a == b => None,
        _ => Some([noun(one), noun(other)]),
    }
}

/// Reports a constraint called `word` that doesn't apply to the type of `name`, whose schema is `base`, or that leaves no
/// value in the finished `schema`.
#[track_caller]
pub const fn check_constraint(base: &Schema, schema: &Schema, name: &str, word: &str) {
    if let Some(message) = constraint(base, schema, name, word) {
        message.panic();
    }
}

/// Returns the message of [`check_constraint`].
pub(super) const fn constraint(base: &Schema, schema: &Schema, name: &str, word: &str) -> Option<Message> {
    if let Some(message) = applies_mistake(base, name, word) {
        return Some(message);
    }
    match word.as_bytes() {
        b"range" | b"multiple_of" if has_values(base) => match order_mistake(schema, name) {
            None => values_mistake(schema, name),
            message => message,
        },
        b"range" | b"length" => match order_mistake(schema, name) {
            // A divisor of the field itself is checked at its own place.
            None if has_divisor(base) => multiples_mistake(schema, name),
            message => message,
        },
        b"multiple_of" if !has_divisor(base) => multiples_mistake(schema, name),
        _ => None,
    }
}

/// Returns whether values have elements that `items` can constrain.
#[must_use]
pub const fn has_elements(schema: &Schema) -> bool {
    matches!(schema.kind, Kind::Array(_) | Kind::Map(_))
}

/// Reports a rule of `name` that its type cannot have.
#[track_caller]
pub const fn check_rule(schema: &Schema, name: &str, rule: &Rule) {
    if let Some(message) = self::rule(schema, name, rule) {
        message.panic();
    }
}

/// Returns the message of [`check_rule`].
pub(super) const fn rule(schema: &Schema, name: &str, rule: &Rule) -> Option<Message> {
    match *rule {
        Rule::Minimum(bound, exclusive) => bound_mistake(schema, name, "minimum", bound, exclusive),
        Rule::Maximum(bound, exclusive) => bound_mistake(schema, name, "maximum", bound, exclusive),
        Rule::MultipleOf(divisor) => divisor_mistake(schema, name, divisor),
        Rule::OneOf(values) => value_mistake(schema, name, values),
        Rule::Length(min, max) => length_mistake(schema, name, min, max),
        Rule::Pattern(_) | Rule::Format(_) | Rule::Unique => None,
    }
}

/// Returns the message if the constraint called `word` doesn't apply to values such as `name`.
const fn applies_mistake(schema: &Schema, name: &str, word: &str) -> Option<Message> {
    let (applies, to) = match word.as_bytes() {
        b"range" | b"multiple_of" => (matches!(schema.kind, Kind::Integer(_) | Kind::Number(_)), "numbers"),
        b"one_of" => (matches!(schema.kind, Kind::Integer(_)), "whole numbers"),
        b"length" => {
            (matches!(schema.kind, Kind::String(_) | Kind::Array(_) | Kind::Map(_)), "strings, lists and maps")
        }
        b"pattern" | b"format" => (matches!(schema.kind, Kind::String(_)), "strings"),
        b"unique" => (matches!(schema.kind, Kind::Array(_)), "lists"),
        b"items" => (has_elements(schema), "lists and maps"),
        _ => (true, ""),
    };
    if !applies {
        let message = Message::new("").name(word).text(" applies to ").text(to).text(", but ").text(name);
        let message = message.text(" is ").text(noun(schema));
        return Some(match &schema.kind {
            Kind::Map(_) if same(word, "unique") => message.text(", whose keys are unique by themselves"),
            Kind::Array(_) | Kind::Map(_) => message.text("; for its elements, write it inside `items(...)`"),
            Kind::Integer(_) | Kind::Number(_) => {
                message.text(", which takes `range(min = .., max = ..)` and `multiple_of`")
            }
            Kind::String(_) if same(word, "one_of") => message.text("; write an enum with `#[parameters]`"),
            Kind::String(_) => message.text(", which takes `length(min = .., max = ..)`, `pattern` and `format`"),
            _ => message.text(": leave it out"),
        });
    }
    let Kind::String(rules) = &schema.kind else { return None };
    let duplicate = match word.as_bytes() {
        b"pattern" => rules.pattern.is_some(),
        b"format" => rules.format.is_some(),
        _ => false,
    };
    if duplicate {
        return Some(
            Message::new("the type of ")
                .text(name)
                .text(" already has a ")
                .name(word)
                .text(", and JSON Schema allows only one"),
        );
    }
    None
}

const fn needs_digits(bound: Limit, name: &str) -> Message {
    match bound.integer {
        Some(_) => {
            Message::new(name).text(" is a number with decimals: write the digits here, not the name of a constant")
        }
        None => Message::new(name).text(" is a whole number: write this number without a fraction"),
    }
}

/// Returns the message if the minimum or maximum of `name` is outside of the range of its type. A minimum that is the type's
/// exclusive maximum leaves no value, which [`order_mistake`] says; and so does a maximum that is its exclusive minimum.
const fn bound_mistake(schema: &Schema, name: &str, word: &str, bound: Limit, exclusive: bool) -> Option<Message> {
    let (is_minimum, is_maximum) = (same(word, "minimum"), same(word, "maximum"));
    match (&schema.kind, bound) {
        (Kind::Integer(rules), Limit { integer: Some(value), .. }) => {
            let (above, below) = (is_minimum && rules.exclusive_minimum, is_maximum && rules.exclusive_maximum);
            if let Some(low) = rules.minimum
                && (value < low || value == low && above && !exclusive)
            {
                return Some(outside(word, name, if above { "greater than" } else { "at least" }).integer(low));
            }
            if let Some(high) = rules.maximum
                && (value > high || value == high && below && !exclusive)
            {
                return Some(outside(word, name, if below { "less than" } else { "at most" }).integer(high));
            }
        }
        (Kind::Number(rules), Limit { decimal: Some(value), .. }) => {
            let (above, below) = (is_minimum && rules.exclusive_minimum, is_maximum && rules.exclusive_maximum);
            if let Some(low) = rules.minimum
                && (value.value < low.value || value.value <= low.value && above && !exclusive)
            {
                return Some(outside(word, name, if above { "greater than" } else { "at least" }).text(low.text));
            }
            if let Some(high) = rules.maximum
                && (value.value > high.value || value.value >= high.value && below && !exclusive)
            {
                return Some(outside(word, name, if below { "less than" } else { "at most" }).text(high.text));
            }
        }
        (Kind::Integer(_) | Kind::Number(_), _) => return Some(needs_digits(bound, name)),
        _ => {}
    }
    None
}

const fn outside(word: &str, name: &str, side: &str) -> Message {
    Message::new("this ")
        .text(word)
        .text(" is outside the range of the type of ")
        .text(name)
        .text(", which is ")
        .text(side)
        .text(" ")
}

/// Returns the message if the divisor of `multiple_of` isn't positive, or no multiple of that of the type.
const fn divisor_mistake(schema: &Schema, name: &str, divisor: Limit) -> Option<Message> {
    let (positive, narrower, own) = match (&schema.kind, divisor) {
        (Kind::Integer(rules), Limit { integer: Some(value), .. }) => match rules.multiple_of {
            Some(own) if own > 0 => (value > 0, value % own == 0, Message::new("").integer(own)),
            _ => (value > 0, true, Message::new("")),
        },
        (Kind::Number(rules), Limit { decimal: Some(value), .. }) => match rules.multiple_of {
            Some(own) => (value.value > 0.0, decimal::is_multiple(value.text, own.text), Message::new(own.text)),
            None => (value.value > 0.0, true, Message::new("")),
        },
        (Kind::Integer(_) | Kind::Number(_), _) => return Some(needs_digits(divisor, name)),
        _ => return None,
    };
    if !positive {
        return Some(Message::new("`multiple_of` has to be greater than 0"));
    }
    if !narrower {
        let message = Message::new("the type of ").text(name).text(" accepts only multiples of ").message(&own);
        return Some(message.text(": write a multiple of that number"));
    }
    None
}

const fn has_values(schema: &Schema) -> bool {
    matches!(schema.kind, Kind::Integer(Integer { one_of: Some(_), .. }))
}

/// Returns the message if one of the listed values is given twice, or isn't one of the type.
const fn value_mistake(schema: &Schema, name: &str, values: &[i128]) -> Option<Message> {
    let Kind::Integer(rules) = &schema.kind else { return None };
    let mut at = 0;
    while at < values.len() {
        let (value, start) = (values[at], Message::new("a value of ").text(name));
        let message = wrong_integer(rules, &Literal::Integer(value), value, &start);
        if message.is_some() {
            return message;
        }
        let mut other = 0;
        while other < at {
            if values[other] == value {
                return Some(Message::new("the value ").integer(value).text(" of ").text(name).text(" is given twice"));
            }
            other += 1;
        }
        at += 1;
    }
    None
}

/// Returns the message if the bounds of the complete `schema` leave none of its listed values.
pub(super) const fn values_mistake(schema: &Schema, name: &str) -> Option<Message> {
    let Kind::Integer(rules @ Integer { one_of: Some(values), .. }) = &schema.kind else { return None };
    let mut at = 0;
    while at < values.len() {
        if rules.allows(values[at]) {
            return None;
        }
        at += 1;
    }
    Some(Message::new("no value fits: the bounds of ").text(name).text(" leave none of its values"))
}

const fn has_divisor(schema: &Schema) -> bool {
    match &schema.kind {
        Kind::Integer(rules) => rules.multiple_of.is_some(),
        Kind::Number(rules) => rules.multiple_of.is_some(),
        _ => false,
    }
}

/// Returns the message if the bounds of the complete `schema` leave no multiple of its divisor.
const fn multiples_mistake(schema: &Schema, name: &str) -> Option<Message> {
    let (fits, divisor) = match &schema.kind {
        Kind::Integer(rules) => {
            let (Some(low), Some(high), Some(divisor)) = (rules.minimum, rules.maximum, rules.multiple_of) else {
                return None;
            };
            let low = if rules.exclusive_minimum { low + 1 } else { low };
            let high = if rules.exclusive_maximum { high - 1 } else { high };
            // An empty range and a divisor that is not positive are reported elsewhere.
            if low > high || divisor <= 0 {
                return None;
            }
            (high.div_euclid(divisor) * divisor >= low, Message::new("").integer(divisor))
        }
        Kind::Number(rules) => {
            let (Some(low), Some(high), Some(divisor)) = (rules.minimum, rules.maximum, rules.multiple_of) else {
                return None;
            };
            let (low, high) = ((low.text, rules.exclusive_minimum), (high.text, rules.exclusive_maximum));
            (decimal::has_multiple(low, high, divisor.text), Message::new(divisor.text))
        }
        _ => return None,
    };
    if !fits {
        return Some(
            Message::new("no value fits: the range of ").text(name).text(" has no multiple of ").message(&divisor),
        );
    }
    None
}

/// Returns the message if the bounds of the complete `schema` leave no value.
pub(super) const fn order_mistake(schema: &Schema, name: &str) -> Option<Message> {
    match &schema.kind {
        Kind::Integer(rules) => {
            if let (Some(low), Some(high)) = (rules.minimum, rules.maximum) {
                let least = if rules.exclusive_minimum { low + 1 } else { low };
                let greatest = if rules.exclusive_maximum { high - 1 } else { high };
                if low > high {
                    return Some(empty_range(name, "range"));
                }
                if least > greatest {
                    return Some(nothing_between(name));
                }
            }
        }
        Kind::Number(rules) => {
            if let (Some(low), Some(high)) = (rules.minimum, rules.maximum) {
                if low.value > high.value {
                    return Some(empty_range(name, "range"));
                }
                if low.value >= high.value && (rules.exclusive_minimum || rules.exclusive_maximum) {
                    return Some(nothing_between(name));
                }
            }
        }
        Kind::String(rules) => return lengths(rules.min_length, rules.max_length, name),
        Kind::Array(rules) => return lengths(rules.min_items, rules.max_items, name),
        Kind::Map(rules) => return lengths(rules.min_properties, rules.max_properties, name),
        _ => {}
    }
    None
}

const fn lengths(min: Option<u64>, max: Option<u64>, name: &str) -> Option<Message> {
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Some(empty_range(name, "length"));
    }
    None
}

const fn empty_range(name: &str, word: &str) -> Message {
    Message::new("no value fits: the minimum of ")
        .text(name)
        .text("\'s ")
        .name(word)
        .text(" is greater than the maximum")
}

const fn nothing_between(name: &str) -> Message {
    Message::new("no value fits: the exclusive bounds of ").text(name).text("\'s `range` leave nothing between them")
}

/// Returns the message if the length of `name` isn't one, or is outside of the range of its type.
const fn length_mistake(schema: &Schema, name: &str, min: Option<i128>, max: Option<i128>) -> Option<Message> {
    let (low, high) = match &schema.kind {
        Kind::String(rules) => (rules.min_length, rules.max_length),
        Kind::Array(rules) => (rules.min_items, rules.max_items),
        Kind::Map(rules) => (rules.min_properties, rules.max_properties),
        _ => return None,
    };
    if matches!((min, max), (Some(..0), _) | (_, Some(..0))) {
        let message = Message::new("a length of ").text(name);
        return Some(message.text(" must be a whole number that is not negative"));
    }
    if matches!((min, max), (Some(length), _) | (_, Some(length)) if length > u64::MAX as i128) {
        return Some(Message::new("a length of ").text(name).text(" must be less than 2^64"));
    }
    if let (Some(min), Some(own)) = (min, low)
        && min < own as i128
    {
        return Some(outside("length", name, "at least").integer(own as i128));
    }
    if let (Some(max), Some(own)) = (max, high)
        && max > own as i128
    {
        return Some(outside("length", name, "at most").integer(own as i128));
    }
    None
}
