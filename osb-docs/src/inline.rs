//! The type and the limits of a schema, in English.

use super::document::InlineText;
use osb_runtime::json::Json;
use osb_runtime::schema::{Array, Format, Integer, Kind, Literal, Map, Number, Schema, StringRules};

/// Describes type and limits, as in “integer, 1 to 86400”.
pub(super) fn value(schema: &Schema) -> InlineText {
    let words = InlineText::join([vec![noun(&schema.kind)], limits(&schema.kind)].concat(), ", ");
    if schema.nullable { words.text("; or ").code("null") } else { words }
}

fn noun(kind: &Kind) -> InlineText {
    match kind {
        Kind::Any => "any JSON value".into(),
        Kind::Boolean => either(),
        Kind::Integer(_) => "integer".into(),
        Kind::Number(_) => "number".into(),
        Kind::String(StringRules { format: Some(format), .. }) => {
            let article = if matches!(format, Format::Email | Format::Ipv4 | Format::Ipv6) { "an" } else { "a" };
            format!("{article} {}", format_noun(*format)).into()
        }
        Kind::String(_) => "string".into(),
        Kind::Choice(choices) => {
            let values = InlineText::join(InlineText::codes(choices.iter().map(|choice| choice.value.get())), ", ");
            if choices.len() == 1 { values } else { InlineText::from("one of ").and(values) }
        }
        Kind::Array(array) => InlineText::from("list of ").and(plural(array.items)),
        Kind::Map(map) => InlineText::from("object with any keys, each value ").and(singular(map.values)),
        Kind::Object(_) => "object".into(),
        Kind::Tagged(tagged) => {
            let names = InlineText::either(InlineText::codes(tagged.variants.iter().map(|variant| variant.name.get())));
            InlineText::from("object; ").code(tagged.tag.get()).text(" selects the variant: ").and(names)
        }
        Kind::Foreign(foreign) => foreign_noun(&(foreign.schema)()),
    }
}

fn either() -> InlineText {
    InlineText::either(InlineText::codes(["true", "false"]))
}

/// Describes the items of a list, in the plural.
fn plural(items: &Schema) -> InlineText {
    let noun: InlineText = match &items.kind {
        Kind::Any => "any JSON values".into(),
        Kind::Boolean => either(),
        Kind::Integer(_) => "integers".into(),
        Kind::Number(_) => "numbers".into(),
        Kind::String(StringRules { format: Some(format), .. }) => match format {
            Format::Email => "e-mail addresses".into(),
            Format::Ipv4 => "IPv4 addresses".into(),
            Format::Ipv6 => "IPv6 addresses".into(),
            other => format!("{}s", format_noun(*other)).into(),
        },
        Kind::String(_) => "strings".into(),
        Kind::Object(_) | Kind::Map(_) => "objects".into(),
        Kind::Array(array) => InlineText::from("lists of ").and(plural(array.items)),
        Kind::Choice(_) | Kind::Tagged(_) | Kind::Foreign(_) => {
            return InlineText::from("values, each ").and(noun(&items.kind));
        }
    };
    let limits = limits(&items.kind);
    if limits.is_empty() { noun } else { noun.text(" (each ").and(InlineText::join(limits, ", ")).text(")") }
}

/// Describes one value, with its limits in parentheses.
fn singular(schema: &Schema) -> InlineText {
    let noun = match &schema.kind {
        Kind::Integer(_) | Kind::Object(_) | Kind::Map(_) | Kind::Tagged(_) => {
            InlineText::from("an ").and(noun(&schema.kind))
        }
        Kind::Number(_) | Kind::Array(_) => InlineText::from("a ").and(noun(&schema.kind)),
        Kind::String(StringRules { format: None, .. }) => "a string".into(),
        kind => noun(kind),
    };
    let limits = limits(&schema.kind);
    let noun = if limits.is_empty() { noun } else { noun.text(" (").and(InlineText::join(limits, ", ")).text(")") };
    if schema.nullable { noun.text(" or ").code("null").text(", which removes the key") } else { noun }
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

fn foreign_noun(schema: &serde_json::Value) -> InlineText {
    match schema.get("type").and_then(serde_json::Value::as_str) {
        Some(name) => InlineText::quote(name).text(" (see its schema below)"),
        None => "see its schema below".into(),
    }
}

fn limits(kind: &Kind) -> Vec<InlineText> {
    match kind {
        Kind::Integer(rules) => integer(rules),
        Kind::Number(rules) => number(rules),
        Kind::String(rules) => string(rules),
        Kind::Array(Array { min_items, max_items, unique, .. }) => {
            let mut words: Vec<_> = count(*min_items, *max_items, "item").into_iter().collect();
            words.extend(unique.then(|| "no duplicates".into()));
            words
        }
        Kind::Map(Map { min_properties, max_properties, .. }) => {
            count(*min_properties, *max_properties, "key").into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn integer(rules: &Integer) -> Vec<InlineText> {
    if let Some(values) = rules.values() {
        let values: Vec<_> = values.map(|value| value.to_string()).collect();
        let values = values.join(", ");
        return vec![if values.contains(',') { format!("one of {values}") } else { values }.into()];
    }
    // The bounds of 64-bit types tell readers nothing.
    let minimum = rules.minimum.filter(|minimum| *minimum > i128::from(i64::MIN));
    let maximum = rules.maximum.filter(|maximum| *maximum < i128::from(i64::MAX));
    let text = |bound: Option<i128>| bound.map(|bound| bound.to_string());
    let mut words = range(text(minimum), text(maximum), rules.exclusive_minimum, rules.exclusive_maximum);
    words.extend(rules.multiple_of.map(|of| format!("a multiple of {of}").into()));
    words
}

fn number(rules: &Number) -> Vec<InlineText> {
    let minimum = rules.minimum.map(|bound| bound.text.to_owned());
    let maximum = rules.maximum.map(|bound| bound.text.to_owned());
    let mut words = range(minimum, maximum, rules.exclusive_minimum, rules.exclusive_maximum);
    words.extend(rules.multiple_of.map(|of| format!("a multiple of {}", of.text).into()));
    words
}

fn range(minimum: Option<String>, maximum: Option<String>, above: bool, below: bool) -> Vec<InlineText> {
    if let (Some(minimum), Some(maximum), false, false) = (&minimum, &maximum, above, below) {
        return vec![if minimum == maximum { minimum.clone() } else { format!("{minimum} to {maximum}") }.into()];
    }
    let low = minimum.map(|bound| format!("{} {bound}", if above { "more than" } else { "at least" }));
    let high = maximum.map(|bound| format!("{} {bound}", if below { "less than" } else { "at most" }));
    low.into_iter().chain(high).map(InlineText::from).collect()
}

fn string(rules: &StringRules) -> Vec<InlineText> {
    let mut words: Vec<_> = count(rules.min_length, rules.max_length, "character").into_iter().collect();
    words.extend(rules.pattern.map(|pattern| InlineText::from("matches ").code(pattern.source.get())));
    words
}

/// “3 to 32 characters”, “at most 5 items”.
fn count(minimum: Option<u64>, maximum: Option<u64>, noun: &str) -> Option<InlineText> {
    let counted = |n: u64| if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") };
    let words = match (minimum.filter(|n| *n > 0), maximum) {
        (None, None) => return None,
        (Some(low), None) => format!("at least {}", counted(low)),
        (None, Some(high)) => format!("at most {}", counted(high)),
        (Some(low), Some(high)) if low == high => format!("exactly {}", counted(low)),
        (Some(low), Some(high)) => format!("{low} to {}", counted(high)),
    };
    Some(words.into())
}

/// Converts a constant value to JSON.
pub(super) fn literal(literal: &Literal) -> Json {
    match literal {
        Literal::Null => Json::Null,
        Literal::Boolean(value) => Json::Bool(*value),
        Literal::Integer(value) => serde_json::Number::from_i128(*value).map_or(Json::Null, Json::Number),
        Literal::Number(value) => Json::read(value.text.as_bytes()).unwrap_or_else(|_| value.value.into()),
        Literal::String(text) => Json::from(text.get()),
        Literal::Array(items) => items.iter().map(self::literal).collect(),
        Literal::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.get().to_owned(), self::literal(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_article_of_a_format_fits_its_name() {
        let described = |format| noun(&Kind::String(StringRules { format: Some(format), ..StringRules::default() }));
        for (format, expected) in [
            (Format::Email, "an e-mail address"),
            (Format::Ipv4, "an IPv4 address"),
            (Format::Ipv6, "an IPv6 address"),
            (Format::Uri, "a URI"),
            (Format::Hostname, "a host name"),
        ] {
            assert_eq!(described(format), expected.into());
        }
    }
}
