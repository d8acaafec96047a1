//! Generates parameters from the schemas of a plan.

use serde_json::{Map, Value};

use osb_runtime::{
    catalog::ParametersInfo,
    schema::{Kind, Property, with_defaults},
};

/// Returns the required parameters.
///
/// # Errors
///
/// The name of a property for which no value is found, or the reason why the values that were found are refused.
pub(super) fn create(parameters: Option<&ParametersInfo>) -> Result<Value, String> {
    let mut sample = Map::new();
    let Some(parameters) = parameters else { return Ok(Value::Object(sample)) };
    for property in properties(parameters).iter().filter(|property| property.required) {
        let name = property.name.get();
        let value = values(property).into_iter().next().ok_or_else(|| format!("`{name}` has no example"))?;
        sample.insert(name.to_owned(), value);
    }
    let sample = Value::Object(sample);
    match parameters.check(&sample) {
        Ok(()) => Ok(sample),
        Err(violations) => Err(violations.first().map(ToString::to_string).unwrap_or_default()),
    }
}

/// Returns the parameters that a plan requires and an instance with the parameters `before` doesn't have; `None` if no value
/// is found for one of them.
pub(super) fn missing(create: &ParametersInfo, before: &Value) -> Option<Value> {
    let required = properties(create).iter().filter(|property| property.required);
    let missing = required.filter(|property| before.get(property.name.get()).is_none());
    let member = |property: &Property| Some((property.name.get().to_owned(), values(property).into_iter().next()?));
    missing.map(member).collect::<Option<Map<_, _>>>().map(Value::Object)
}

/// Returns whether a plan accepts the parameters `before` of another plan with those of a change to it.
pub(super) fn fits(create: Option<&ParametersInfo>, before: &Value, change: Option<&Value>) -> bool {
    let Some(create) = create else { return true };
    let mut merged = Map::new();
    for property in properties(create) {
        let name = property.name.get();
        if let Some(value) = change.and_then(|change| change.get(name)).or_else(|| before.get(name)) {
            merged.insert(name.to_owned(), value.clone());
        }
    }
    create.check(&Value::Object(merged)).is_ok()
}

/// Returns an update that changes one property of the parameters in `before`; `None` if no other value is found.
pub(super) fn update(update: &ParametersInfo, create: &ParametersInfo, before: &Value) -> Option<Value> {
    let before = with_defaults(create.schema, before);
    properties(update).iter().find_map(|property| {
        let name = property.name.get();
        let change = |value| Value::Object(Map::from_iter([(name.to_owned(), value)]));
        let other = values(property).into_iter().filter(|value| before.get(name) != Some(value));
        other.map(change).find(|change| update.check(change).is_ok())
    })
}

fn properties(parameters: &ParametersInfo) -> &'static [Property] {
    match &parameters.schema.kind {
        Kind::Object(object) => object.properties,
        _ => &[],
    }
}

/// Returns candidates for a property: its examples, and values derived from its type.
fn values(property: &Property) -> Vec<Value> {
    let mut values: Vec<Value> = property.schema.examples.iter().map(Value::from).collect();
    match &property.schema.kind {
        Kind::Boolean => values.extend([Value::Bool(true), Value::Bool(false)]),
        Kind::Choice(choices) => values.extend(choices.iter().map(|choice| Value::from(choice.value.get()))),
        Kind::Integer(rules) => {
            let listed: Option<Vec<_>> = rules.values().map(Iterator::collect);
            let bounds = listed.unwrap_or_else(|| [rules.minimum, rules.maximum].into_iter().flatten().collect());
            values.extend(bounds.into_iter().filter_map(|bound| i64::try_from(bound).ok()).map(Value::from));
        }
        Kind::Number(rules) => {
            let bounds = [&rules.minimum, &rules.maximum].into_iter().flatten();
            values.extend(bounds.map(|bound| Value::from(bound.value)));
        }
        _ => {}
    }
    values
}
