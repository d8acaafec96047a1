//! Parameters that a schema refuses: good ones, spoilt in one place.

use serde_json::{Map, Value, json};

use super::values::kind;

/// How many there are of a sort: each of them costs a request, and a broker that takes one takes others like it.
const OF_A_SORT: usize = 2;

/// Good parameters, spoilt in one place each, with what was done. Whether the schema refuses them is to be asked.
pub(super) fn of(schema: &Value, good: &Value) -> Vec<(String, Value)> {
    let Value::Object(good) = good else { return Vec::new() };
    let mut made = Vec::new();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    made.extend(required.take(OF_A_SORT).map(|name| {
        let mut fewer = good.clone();
        fewer.remove(name);
        (format!("without `{name}`, which is required"), Value::Object(fewer))
    }));
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let with = |name: &str, value: Value| {
        let mut other: Map<_, _> = good.clone();
        other.insert(name.to_owned(), value);
        Value::Object(other)
    };
    for spoil in [wrong_type, outside, wrong_length] {
        let spoilt = properties.iter().filter_map(|(name, property)| {
            let value = spoil(property)?;
            Some((format!("with {value} for `{name}`"), with(name, value)))
        });
        made.extend(spoilt.take(OF_A_SORT));
    }
    let stranger = "osb_check_has_no_such_property";
    made.push((format!("with the property `{stranger}`"), with(stranger, json!(true))));
    made
}

fn wrong_type(property: &Value) -> Option<Value> {
    match kind(property) {
        _ if property.get("type").is_none() => None,
        "object" => Some(json!("text")),
        _ => Some(json!({ "not": "of this type" })),
    }
}

/// Below the least, above the most, or not in the list.
fn outside(property: &Value) -> Option<Value> {
    let whole = |word: &str| property[word].as_i64();
    if property["enum"].is_array() {
        return Some(json!("none of them"));
    }
    let below = whole("minimum").and_then(|low| low.checked_sub(1));
    below.or_else(|| whole("maximum")?.checked_add(1)).map(Value::from)
}

fn wrong_length(property: &Value) -> Option<Value> {
    /// No broker is to be flooded.
    const LONGEST: u64 = 10_000;
    let length = |word: &str| property[word].as_u64();
    if length("minLength").is_some_and(|shortest| shortest > 0) {
        return Some(json!(""));
    }
    let longest = length("maxLength").filter(|longest| *longest < LONGEST)?;
    Some("a".repeat(usize::try_from(longest).ok()? + 1).into())
}
