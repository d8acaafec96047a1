//! Parameters to try a plan with, out of its schemas.

use serde_json::{Map, Value};

use osb_runtime::catalog::ParametersInfo;
use osb_runtime::schema::{Kind, Property, with_defaults};

/// Parameters that will do: what is required, and no more. `None`: that has no default and no examples.
pub(super) fn create(parameters: Option<&ParametersInfo>) -> Option<Value> {
    let mut sample = Map::new();
    let Some(parameters) = parameters else { return Some(Value::Object(sample)) };
    for property in properties(parameters).iter().filter(|property| property.required) {
        sample.insert(property.name.get().to_owned(), values(property).into_iter().next()?);
    }
    let sample = Value::Object(sample);
    (parameters.check)(&sample).is_ok().then_some(sample)
}

/// A change of one property of these parameters, by an update. `None`: none is known that does it.
pub(super) fn update(update: &ParametersInfo, create: &ParametersInfo, before: &Value) -> Option<Value> {
    let before = with_defaults(create.schema, before);
    properties(update).iter().find_map(|property| {
        let name = property.name.get();
        let change = |value| Value::Object(Map::from_iter([(name.to_owned(), value)]));
        let other = values(property).into_iter().filter(|value| before.get(name) != Some(value));
        other.map(change).find(|change| (update.check)(change).is_ok())
    })
}

fn properties(parameters: &ParametersInfo) -> &'static [Property] {
    match &parameters.schema.kind {
        Kind::Object(object) => object.properties,
        _ => &[],
    }
}

/// Values that a property may have: its examples, and what its type lets one guess.
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
