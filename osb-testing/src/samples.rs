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
    let Some(parameters) = parameters else { return Ok(Value::Object(Map::new())) };
    let sample = Value::Object(required(properties(parameters))?);
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
        // An update merges objects, so an empty one would change nothing.
        let is_other =
            |value: &Value| before.get(name) != Some(value) && value.as_object().is_none_or(|it| !it.is_empty());
        let other = values(property).into_iter().filter(is_other);
        other.map(change).find(|change| update.check(change).is_ok())
    })
}

fn properties(parameters: &ParametersInfo) -> &'static [Property] {
    match &parameters.schema.kind {
        Kind::Object(object) => object.properties,
        _ => &[],
    }
}

/// Returns the members of an object with the required properties, or else the name of one for which no value is found.
fn required(properties: &[Property]) -> Result<Map<String, Value>, String> {
    let required = properties.iter().filter(|property| property.required);
    let member = |property: &Property| {
        let name = property.name.get();
        let value = values(property).into_iter().next().ok_or_else(|| format!("`{name}` has no example"))?;
        Ok((name.to_owned(), value))
    };
    required.map(member).collect()
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
        Kind::Array(rules) if rules.min_items.is_none_or(|least| least == 0) => values.push(Value::Array(Vec::new())),
        Kind::Map(rules) if rules.min_properties.is_none_or(|least| least == 0) => {
            values.push(Value::Object(Map::new()));
        }
        Kind::Object(object) => values.extend(required(object.properties).map(Value::Object)),
        Kind::Tagged(tagged) => values.extend(tagged.variants.iter().filter_map(|variant| {
            let mut members = Map::from_iter([(tagged.tag.get().to_owned(), variant.name.get().into())]);
            members.extend(required(variant.object.properties).ok()?);
            Some(Value::Object(members))
        })),
        _ => {}
    }
    values
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use osb_runtime::{prelude::*, schema::Parameter};
    use serde_json::json;

    use super::*;

    /// A new store.
    #[parameters]
    struct NewStore {
        /// Labels of the store.
        labels: BTreeMap<String, String>,
        /// Networks that reach it.
        networks: Vec<String>,
        /// Copies of it.
        backup: Backup,
    }

    /// Copies of a store.
    #[parameters]
    struct Backup {
        /// Time between two copies.
        #[param(range(min = 1, max = 24))]
        hours: u8,
        /// Where they are.
        #[param(example = "eu")]
        region: String,
        /// Text on each.
        note: Option<String>,
    }

    fn of<T: Parameter>() -> Result<Value, String> {
        let Kind::Object(object) = T::SCHEMA.kind else { panic!("an object") };
        required(object.properties).map(Value::Object)
    }

    #[test]
    fn collections_are_empty_and_objects_have_what_they_require() {
        let store = json!({ "labels": {}, "networks": [], "backup": { "hours": 1, "region": "eu" } });
        assert_eq!(of::<NewStore>(), Ok(store));
    }

    /// A store in a network.
    #[parameters]
    struct Reachable {
        /// Networks that reach it.
        #[param(length(min = 1))]
        networks: Vec<String>,
    }

    /// A store with a way to reach it.
    #[parameters]
    struct Exposed {
        /// Its way.
        access: Access,
    }

    /// A way to reach a store.
    #[parameters(tag = "kind", rename_all = "snake_case")]
    enum Access {
        /// From one address.
        Address {
            /// The address, which has no example.
            address: String,
        },
        /// From a network.
        Network {
            /// Its number.
            #[param(range(min = 3, max = 9))]
            number: u8,
            /// Text on it.
            note: Option<String>,
        },
        /// From everywhere.
        Public,
    }

    #[test]
    fn an_enum_with_fields_is_its_first_variant_with_values() {
        assert_eq!(of::<Exposed>(), Ok(json!({ "access": { "kind": "network", "number": 3 } })));
        let Kind::Object(object) = Exposed::SCHEMA.kind else { panic!("an object") };
        let network = json!({ "kind": "network", "number": 3 });
        assert_eq!(values(&object.properties[0]), [network, json!({ "kind": "public" })]);
    }

    #[test]
    fn a_collection_that_must_not_be_empty_needs_an_example() {
        assert_eq!(of::<Reachable>(), Err("`networks` has no example".to_owned()));
    }
}
