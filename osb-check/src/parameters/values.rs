//! Generates values that a schema probably accepts. Callers have to validate them, as combinations of constraints in
//! different places of a schema are not always taken into account.

use std::collections::BTreeSet;

use osb_runtime::schema::canonical;
use serde_json::{Map, Value, json};

use super::{LONGEST, pattern, work::Search};

/// The maximum depth of recursive schemas.
const DEEPEST: usize = 8;

/// The maximum number of candidates for one value.
const MOST: usize = 6;

/// The keywords that combine schemas for one value.
const COMBINING: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Returns objects in groups. The objects of a group have the same properties and differ in the value of one. The best
/// group comes first; the last has one object with the required properties.
pub(super) fn objects(search: &Search<'_>) -> Vec<Vec<Value>> {
    let mut made = Vec::new();
    for schema in alternatives(search.schema, search, 0) {
        let Some(base) = object(&schema, search, 0) else { continue };
        for name in by_usefulness(&schema) {
            let values = candidates(&schema["properties"][name.as_str()], search, 1);
            let with = |value: Value| {
                let mut object = base.clone();
                object.insert(name.clone(), value);
                Value::Object(object)
            };
            made.push(values.into_iter().map(with).collect());
        }
        made.push(vec![Value::Object(base)]);
    }
    // Groups with two objects first; the sort is stable.
    made.sort_by_key(|group: &Vec<Value>| usize::from(group.len() < 2));
    made
}

/// Returns the properties to vary: required ones, then those with defaults or examples, then those that are not free
/// strings, as a string may name something that does not exist.
fn by_usefulness(schema: &Value) -> Vec<String> {
    let required = required(schema);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let usefulness = |name: &String, property: &Value| match property {
        _ if required.contains(&name.as_str()) => Some(0),
        property if ["default", "examples", "example"].iter().any(|word| property.get(word).is_some()) => Some(1),
        property if property.get("enum").is_some() || ["boolean", "integer", "number"].contains(&kind(property)) => {
            Some(2)
        }
        _ => None,
    };
    let mut names: Vec<_> =
        properties.filter_map(|(name, property)| Some((usefulness(name, property)?, name.clone()))).collect();
    names.sort_by_key(|(rank, _)| *rank);
    names.into_iter().map(|(_, name)| name).collect()
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Builds an object with the required properties.
fn object(schema: &Value, search: &Search<'_>, depth: usize) -> Option<Map<String, Value>> {
    let mut made = Map::new();
    for name in required(schema) {
        let property = schema["properties"].get(name).unwrap_or(&Value::Bool(true));
        made.insert(name.to_owned(), candidates(property, search, depth + 1).into_iter().next()?);
    }
    Some(made)
}

/// Resolves references, `allOf`, `anyOf` and `oneOf`: returns one schema for each alternative.
fn alternatives(schema: &Value, search: &Search<'_>, depth: usize) -> Vec<Value> {
    if depth > DEEPEST || !search.resolves() {
        return Vec::new();
    }
    let Value::Object(fields) = schema else { return vec![schema.clone()] };
    if let Some(reference) = fields.get("$ref") {
        let target = reference.as_str().and_then(|reference| search.schema.pointer(reference.strip_prefix('#')?));
        return target.map(|target| alternatives(target, search, depth + 1)).unwrap_or_default();
    }
    let rest = fields.iter().filter(|(word, _)| !COMBINING.contains(&word.as_str()));
    let mut made = vec![rest.map(|(word, value)| (word.clone(), value.clone())).collect::<Map<_, _>>()];
    for word in COMBINING {
        let Some(Value::Array(parts)) = fields.get(word) else { continue };
        let parts: Vec<Vec<Value>> = parts.iter().map(|part| alternatives(part, search, depth + 1)).collect();
        made = match word {
            // The parts are combined; the first alternative of each is enough.
            "allOf" => {
                let firsts: Vec<_> = parts.iter().filter_map(|part| part.first()).collect();
                made.into_iter().map(|one| firsts.iter().fold(one, |one, part| merged(one, part))).collect()
            }
            _ => {
                let parts: Vec<_> = parts.into_iter().flatten().collect();
                made.iter().flat_map(|one| parts.iter().map(|part| merged(one.clone(), part))).take(MOST).collect()
            }
        };
    }
    made.into_iter().map(Value::Object).collect()
}

/// Merges two schemas: `properties` and `required` are combined, and for other keywords the last one wins.
fn merged(mut one: Map<String, Value>, more: &Value) -> Map<String, Value> {
    for (word, value) in more.as_object().into_iter().flatten() {
        match (one.get_mut(word), value) {
            (Some(Value::Object(known)), Value::Object(value)) if word == "properties" => {
                known.extend(value.clone());
            }
            (Some(Value::Array(known)), Value::Array(value)) if word == "required" => known.extend(value.clone()),
            _ => drop(one.insert(word.clone(), value.clone())),
        }
    }
    one
}

/// Returns the type of a schema; without `type`, it is inferred from the other keywords.
pub(super) fn kind(schema: &Value) -> &str {
    let said = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
        kind => kind.as_str(),
    };
    let says = |words: &[&str]| words.iter().any(|word| schema.get(word).is_some());
    said.unwrap_or(match () {
        () if says(&["properties", "required", "additionalProperties"]) => "object",
        () if says(&["items", "minItems"]) => "array",
        () if says(&["minimum", "maximum", "multipleOf"]) => "number",
        () => "string",
    })
}

/// Returns candidates for a value; those in the schema itself come first.
fn candidates(schema: &Value, search: &Search<'_>, depth: usize) -> Vec<Value> {
    if depth > DEEPEST {
        return Vec::new();
    }
    let mut made = Vec::new();
    for schema in alternatives(schema, search, depth) {
        made.extend(schema.get("default").cloned());
        made.extend(schema["examples"].as_array().into_iter().flatten().cloned());
        made.extend(schema.get("example").cloned());
        match schema["enum"].as_array() {
            Some(values) => made.extend(values.iter().cloned()),
            None if schema.get("const").is_some() => made.push(schema["const"].clone()),
            None => made.extend(constructed(&schema, search, depth)),
        }
    }
    // To a broker, 1 and 1.0 are the same.
    let mut seen = BTreeSet::new();
    let is_new = |value: &Value| !value.is_null() && size(value) < LONGEST && seen.insert(canonical(value));
    made.into_iter().filter(is_new).take(MOST).collect()
}

/// Returns the length of a value in a request.
fn size(value: &Value) -> usize {
    value.to_string().len()
}

fn constructed(schema: &Value, search: &Search<'_>, depth: usize) -> Vec<Value> {
    match kind(schema) {
        "boolean" => vec![false.into(), true.into()],
        "integer" => integers(schema),
        "number" => numbers(schema),
        "null" => Vec::new(),
        "array" => arrays(schema, search, depth),
        "object" => object(schema, search, depth).map(Value::Object).into_iter().collect(),
        _ => texts(schema),
    }
}

fn integers(schema: &Value) -> Vec<Value> {
    let step = schema["multipleOf"].as_i64().filter(|step| *step > 0).unwrap_or(1);
    let excludes = |word: &str| i64::from(schema[word] == true);
    let bound = |word: &str| schema[word].as_i64();
    let lowest = bound("minimum").map(|low| low.saturating_add(excludes("exclusiveMinimum")));
    let highest = bound("maximum").map(|high| high.saturating_sub(excludes("exclusiveMaximum")));
    let first = match (lowest, highest) {
        (Some(low), _) => low.saturating_add((step - low.rem_euclid(step)) % step),
        (None, Some(high)) => high.saturating_sub(high.rem_euclid(step)),
        (None, None) => step,
    };
    let towards = if lowest.is_none() && highest.is_some() { -step } else { step };
    let more = (0..3).map(|i: i64| first.saturating_add(i.saturating_mul(towards)));
    more.filter(|number| highest.is_none_or(|high| *number <= high)).map(Value::from).collect()
}

fn numbers(schema: &Value) -> Vec<Value> {
    let (low, high) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    let within = match (low, high) {
        (Some(low), Some(high)) => vec![low, low.midpoint(high), high],
        (Some(low), None) => vec![low + 1.0, low + 2.0],
        (None, Some(high)) => vec![high - 1.0, high - 2.0],
        (None, None) => vec![1.0, 2.5],
    };
    integers(schema).into_iter().chain(within.into_iter().map(Value::from)).collect()
}

fn texts(schema: &Value) -> Vec<Value> {
    let length = |word: &str| schema[word].as_u64().and_then(|length| usize::try_from(length).ok());
    let shortest = length("minLength").unwrap_or(0);
    let of_format: &[&str] = match schema["format"].as_str() {
        Some("date-time") => &["2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"],
        Some("date") => &["2030-01-01", "2031-01-01"],
        Some("time") => &["12:00:00Z", "13:00:00Z"],
        Some("email") => &["a@example.com", "b@example.com"],
        Some("hostname") => &["a.example.com", "b.example.com"],
        Some("ipv4") => &["192.0.2.1", "192.0.2.2"],
        Some("ipv6") => &["2001:db8::1", "2001:db8::2"],
        Some("uri") => &["https://example.com/a", "https://example.com/b"],
        Some("uuid") => &["0b5f7c1e-0000-4000-8000-00000000000a", "0b5f7c1e-0000-4000-8000-00000000000b"],
        _ => &[],
    };
    if !of_format.is_empty() {
        return of_format.iter().map(|text| (*text).into()).collect();
    }
    if let Some(pattern) = schema["pattern"].as_str() {
        return pattern::texts(pattern, shortest).into_iter().map(Value::from).collect();
    }
    let length = shortest.max(1).min(length("maxLength").unwrap_or(usize::MAX));
    if length >= LONGEST {
        return Vec::new();
    }
    ["a", "b"].map(|letter| letter.repeat(length).into()).to_vec()
}

fn arrays(schema: &Value, search: &Search<'_>, depth: usize) -> Vec<Value> {
    let length = schema["minItems"].as_u64().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let items = if schema["items"].is_object() { &schema["items"] } else { &Value::Bool(true) };
    let values = candidates(items, search, depth + 1);
    if values.iter().any(|value| size(value).saturating_mul(length) >= LONGEST) {
        return Vec::new();
    }
    // Distinct items as far as possible, in case `uniqueItems` is set.
    let enough = |skipped: usize| {
        let mut made: Vec<_> = values.iter().skip(skipped).take(length).cloned().collect();
        let missing = length - made.len();
        made.extend(values.first().into_iter().flat_map(|value| vec![value.clone(); missing]));
        made
    };
    let mut made = vec![json!(enough(0)), json!(enough(1))];
    if length == 0 {
        made.extend(values.iter().map(|value| json!([value])));
    }
    made
}
