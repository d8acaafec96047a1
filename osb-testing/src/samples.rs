//! Generates parameters from the schemas of a plan.

use serde_json::{Map, Value};

use osb_runtime::{
    catalog::ParametersInfo,
    schema::{Kind, Property, with_defaults},
};

/// Returns the required parameters; `None` if no value is found for one of them.
pub(super) fn create(parameters: Option<&ParametersInfo>) -> Option<Value> {
    let mut sample = Map::new();
    let Some(parameters) = parameters else { return Some(Value::Object(sample)) };
    for property in properties(parameters).iter().filter(|property| property.required) {
        sample.insert(property.name.get().to_owned(), values(property).into_iter().next()?);
    }
    let sample = Value::Object(sample);
    parameters.check(&sample).is_ok().then_some(sample)
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
            let bounds = [rules.minimum, rules.maximum].into_iter().flatten();
            values.extend(bounds.filter_map(|bound| i64::try_from(bound).ok()).map(Value::from));
        }
        _ => {}
    }
    values
}
