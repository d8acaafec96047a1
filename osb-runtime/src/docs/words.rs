//! A schema in words: its type, and its limits.

use super::escape::code;
use crate::schema::{Array, Format, Integer, Kind, Literal, Map, Number, Schema, StringRules};

/// Type and limits, such as “integer, 1 to 86400”.
pub(super) fn value(schema: &Schema) -> String {
    let limits = limits(&schema.kind);
    let mut words = noun(&schema.kind);
    if !limits.is_empty() {
        words = format!("{words}, {}", limits.join(", "));
    }
    if schema.nullable { format!("{words}; or `null`") } else { words }
}

/// The type alone.
fn noun(kind: &Kind) -> String {
    match kind {
        Kind::Any => "any JSON value".to_owned(),
        Kind::Boolean => "`true` or `false`".to_owned(),
        Kind::Integer(_) => "integer".to_owned(),
        Kind::Number(_) => "number".to_owned(),
        Kind::String(StringRules { format: Some(format), .. }) => format!("a {}", format_noun(*format)),
        Kind::String(_) => "string".to_owned(),
        Kind::Choice(choices) => {
            let values: Vec<_> = choices.iter().map(|choice| code(choice.value.get())).collect();
            if values.len() == 1 { values.concat() } else { format!("one of {}", values.join(", ")) }
        }
        Kind::Array(array) => format!("list of {}", several(array.items)),
        Kind::Map(map) => format!("object: any names, each with {}", one(map.values)),
        Kind::Object(_) => "object".to_owned(),
        Kind::Tagged(tagged) => {
            let names: Vec<_> = tagged.variants.iter().map(|variant| code(variant.name.get())).collect();
            format!("object, whose {} says what it is: {}", code(tagged.tag.get()), names.join(" or "))
        }
        Kind::Foreign(foreign) => foreign_noun(&(foreign.schema)()),
    }
}

/// What several of them are called, in a list.
fn several(items: &Schema) -> String {
    let plural = match &items.kind {
        Kind::Any => "any JSON values".to_owned(),
        Kind::Boolean => "`true` or `false`".to_owned(),
        Kind::Integer(_) => "integers".to_owned(),
        Kind::Number(_) => "numbers".to_owned(),
        Kind::String(StringRules { format: Some(format), .. }) => match format {
            Format::Email => "e-mail addresses".to_owned(),
            Format::Ipv4 => "IPv4 addresses".to_owned(),
            Format::Ipv6 => "IPv6 addresses".to_owned(),
            other => format!("{}s", format_noun(*other)),
        },
        Kind::String(_) => "strings".to_owned(),
        Kind::Object(_) | Kind::Map(_) => "objects".to_owned(),
        Kind::Array(array) => format!("lists of {}", several(array.items)),
        Kind::Choice(_) | Kind::Tagged(_) | Kind::Foreign(_) => return format!("values, each {}", noun(&items.kind)),
    };
    let limits = limits(&items.kind);
    if limits.is_empty() { plural } else { format!("{plural} (each {})", limits.join(", ")) }
}

/// One of them, with its limits in brackets.
fn one(schema: &Schema) -> String {
    let limits = limits(&schema.kind);
    let noun = match &schema.kind {
        Kind::Integer(_) | Kind::Object(_) | Kind::Map(_) | Kind::Tagged(_) => format!("an {}", noun(&schema.kind)),
        Kind::Number(_) | Kind::Array(_) => format!("a {}", noun(&schema.kind)),
        Kind::String(StringRules { format: None, .. }) => "a string".to_owned(),
        kind => noun(kind),
    };
    let noun = if limits.is_empty() { noun } else { format!("{noun} ({})", limits.join(", ")) };
    if schema.nullable { format!("{noun} or `null`, which removes it") } else { noun }
}

fn format_noun(format: Format) -> &'static str {
    match format {
        Format::DateTime => "date-time (RFC 3339)",
        Format::Email => "e-mail address",
        Format::Hostname => "host name",
        Format::Ipv4 => "IPv4 address",
        Format::Ipv6 => "IPv6 address",
        Format::Uri => "URI",
    }
}

fn foreign_noun(schema: &serde_json::Value) -> String {
    match schema.get("type").and_then(serde_json::Value::as_str) {
        Some(name) => format!("{} (see its schema below)", super::escape::text(name)),
        None => "see its schema below".to_owned(),
    }
}

fn limits(kind: &Kind) -> Vec<String> {
    match kind {
        Kind::Integer(rules) => integer(rules),
        Kind::Number(rules) => number(rules),
        Kind::String(rules) => string(rules),
        Kind::Array(Array { min_items, max_items, unique, .. }) => {
            let mut words: Vec<_> = count(*min_items, *max_items, "item").into_iter().collect();
            words.extend(unique.then(|| "no two equal".to_owned()));
            words
        }
        Kind::Map(Map { min_properties, max_properties, .. }) => {
            count(*min_properties, *max_properties, "name").into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn integer(rules: &Integer) -> Vec<String> {
    // The bounds of a 64-bit type are no news to anybody.
    let minimum = rules.minimum.filter(|minimum| *minimum > i128::from(i64::MIN));
    let maximum = rules.maximum.filter(|maximum| *maximum < i128::from(i64::MAX));
    let text = |bound: Option<i128>| bound.map(|bound| bound.to_string());
    let mut words = range(text(minimum), text(maximum), rules.exclusive_minimum, rules.exclusive_maximum);
    words.extend(rules.multiple_of.map(|of| format!("a multiple of {of}")));
    words
}

fn number(rules: &Number) -> Vec<String> {
    let minimum = rules.minimum.map(|bound| bound.text.to_owned());
    let maximum = rules.maximum.map(|bound| bound.text.to_owned());
    let mut words = range(minimum, maximum, rules.exclusive_minimum, rules.exclusive_maximum);
    words.extend(rules.multiple_of.map(|of| format!("a multiple of {}", of.text)));
    words
}

fn range(minimum: Option<String>, maximum: Option<String>, above: bool, below: bool) -> Vec<String> {
    if let (Some(minimum), Some(maximum), false, false) = (&minimum, &maximum, above, below) {
        return vec![if minimum == maximum { minimum.clone() } else { format!("{minimum} to {maximum}") }];
    }
    let low = minimum.map(|bound| format!("{} {bound}", if above { "more than" } else { "at least" }));
    let high = maximum.map(|bound| format!("{} {bound}", if below { "less than" } else { "at most" }));
    low.into_iter().chain(high).collect()
}

fn string(rules: &StringRules) -> Vec<String> {
    let mut words: Vec<_> = count(rules.min_length, rules.max_length, "character").into_iter().collect();
    words.extend(rules.pattern.map(|pattern| format!("matches {}", code(pattern.source.get()))));
    words
}

/// “3 to 32 characters”, “at most 5 items”.
fn count(minimum: Option<u64>, maximum: Option<u64>, noun: &str) -> Option<String> {
    let counted = |n: u64| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
    match (minimum.filter(|n| *n > 0), maximum) {
        (None, None) => None,
        (Some(low), None) => Some(format!("at least {}", counted(low))),
        (None, Some(high)) => Some(format!("at most {}", counted(high))),
        (Some(low), Some(high)) if low == high => Some(format!("exactly {}", counted(low))),
        (Some(low), Some(high)) => Some(format!("{low} to {}", counted(high))),
    }
}

/// A constant value as JSON.
pub(super) fn literal(literal: &Literal) -> serde_json::Value {
    use serde_json::Value;
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => Value::Bool(*value),
        Literal::Integer(value) => serde_json::Number::from_i128(*value).map_or(Value::Null, Value::Number),
        Literal::Number(value) => serde_json::from_str(value.text).unwrap_or_else(|_| Value::from(value.value)),
        Literal::String(text) => Value::from(text.get()),
        Literal::Array(items) => items.iter().map(self::literal).collect(),
        Literal::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.get().to_owned(), self::literal(value))).collect())
        }
    }
}
