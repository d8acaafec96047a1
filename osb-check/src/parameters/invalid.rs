//! Generates invalid parameters: valid ones with one defect each.

use serde_json::{Map, Value, json};

use super::{LONGEST, values::kind};

/// The number of variants of each kind of defect. Each costs a request, and brokers treat similar defects alike.
const PER_KIND: usize = 2;

/// Returns candidates, each with a description of its defect. The caller has to confirm that the schema refuses them.
pub(super) fn of(schema: &Value, good: &Value) -> Vec<(String, Value)> {
    let Value::Object(good) = good else { return Vec::new() };
    let mut made = Vec::new();
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    made.extend(required.take(PER_KIND).map(|name| {
        let mut fewer = good.clone();
        fewer.remove(name);
        (format!("without the required `{name}`"), Value::Object(fewer))
    }));
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let with = |name: &str, value: Value| {
        let mut other: Map<_, _> = good.clone();
        other.insert(name.to_owned(), value);
        Value::Object(other)
    };
    for defect in [wrong_type, outside, wrong_length] {
        let defective = properties.iter().filter_map(|(name, property)| {
            let value = defect(property)?;
            Some((format!("with {value} as `{name}`"), with(name, value)))
        });
        made.extend(defective.take(PER_KIND));
    }
    let unknown = "osb_check_has_no_such_property";
    made.push((format!("with the unknown property `{unknown}`"), with(unknown, json!(true))));
    made
}

fn wrong_type(property: &Value) -> Option<Value> {
    match kind(property) {
        _ if property.get("type").is_none() => None,
        "object" => Some(json!("text")),
        _ => Some(json!({ "not": "of this type" })),
    }
}

/// Returns a value below the minimum, above the maximum, or outside of the enumeration.
fn outside(property: &Value) -> Option<Value> {
    let whole = |word: &str| property[word].as_i64();
    if property["enum"].is_array() {
        return Some(json!("none of them"));
    }
    let below = whole("minimum").and_then(|low| low.checked_sub(1));
    below.or_else(|| whole("maximum")?.checked_add(1)).map(Value::from)
}

fn wrong_length(property: &Value) -> Option<Value> {
    let length = |word: &str| property[word].as_u64().and_then(|length| usize::try_from(length).ok());
    if length("minLength").is_some_and(|shortest| shortest > 0) {
        return Some(json!(""));
    }
    let longest = length("maxLength").filter(|longest| *longest < LONGEST)?;
    Some("a".repeat(longest + 1).into())
}
