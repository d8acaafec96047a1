//! What is done with values that have a schema: read, filled up, merged, shown.

use serde_json::{Map as JsonObject, Value};

use super::{
    Parameters, Violation, check,
    model::{Kind, Literal, Object, Schema, Tagged},
};

/// The value that `literal` stands for.
impl From<&Literal> for Value {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Boolean(value) => Self::from(*value),
            Literal::Integer(value) => i64::try_from(*value)
                .map(Self::from)
                .or_else(|_| u64::try_from(*value).map(Self::from))
                .unwrap_or(Self::Null),
            Literal::Number(value) => Self::from(value.value),
            Literal::String(text) => Self::from(text.get()),
            Literal::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Literal::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.get().to_owned(), Self::from(value))).collect())
            }
        }
    }
}

/// The parameters in `value`, checked and with their defaults; `null` stands for no parameters. If they are not
/// accepted, everything that is wrong with them.
pub fn decode<T: Parameters>(value: &Value) -> Result<T, Vec<Violation>> {
    decode_owned(value.clone())
}

/// The same, for who needs the value no longer.
pub(crate) fn decode_owned<T: Parameters>(mut value: Value) -> Result<T, Vec<Violation>> {
    if value.is_null() {
        value = Value::Object(JsonObject::new());
    }
    let violations = check(&T::SCHEMA, &value);
    if !violations.is_empty() {
        return Err(violations);
    }
    fill(&T::SCHEMA, &mut value);
    // Serde's own words would show the value, which may be a secret.
    T::deserialize(value).map_err(|_| {
        let message = format!("this satisfies the schema, but is no `{}`", std::any::type_name::<T>());
        vec![Violation { pointer: String::new(), message }]
    })
}

/// `value` with every property that is absent and has a default.
#[must_use]
pub fn with_defaults(schema: &Schema, value: &Value) -> Value {
    let mut value = value.clone();
    fill(schema, &mut value);
    value
}

fn fill(schema: &Schema, value: &mut Value) {
    match (&schema.kind, value) {
        (Kind::Array(rules), Value::Array(items)) => items.iter_mut().for_each(|item| fill(rules.items, item)),
        (Kind::Map(rules), Value::Object(members)) => {
            members.values_mut().for_each(|value| fill(rules.values, value));
        }
        (Kind::Object(object), Value::Object(members)) => fill_members(object, members),
        (Kind::Tagged(tagged), Value::Object(members)) => {
            if let Some(object) = variant(tagged, members) {
                fill_members(object, members);
            }
        }
        _ => {}
    }
}

fn fill_members(object: &Object, members: &mut JsonObject<String, Value>) {
    for property in object.properties {
        let name = property.name.get();
        if let Some(value) = members.get_mut(name) {
            fill(&property.schema, value);
        } else if let Some(default) = &property.schema.default {
            let mut value = Value::from(default);
            fill(&property.schema, &mut value);
            members.insert(name.to_owned(), value);
        }
    }
}

/// The properties of the variant that `members` are of.
fn variant<'a>(tagged: &'a Tagged, members: &JsonObject<String, Value>) -> Option<&'a Object> {
    let tag = members.get(tagged.tag.get())?.as_str()?;
    tagged.variants.iter().find(|variant| variant.name.get() == tag).map(|variant| &variant.object)
}

/// `current` after `change` (RFC 7386): members are merged, `null` removes one, everything else is replaced. Lists are
/// replaced as a whole, and so are the values of enums, whose variants have different properties.
#[must_use]
pub fn merge(schema: &Schema, current: &Value, change: &Value) -> Value {
    let Value::Object(changes) = change else { return change.clone() };
    if matches!(schema.kind, Kind::Tagged(_)) {
        return change.clone();
    }
    let mut merged = current.as_object().cloned().unwrap_or_default();
    for (name, change) in changes {
        if change.is_null() {
            merged.shift_remove(name);
            continue;
        }
        let before = merged.get(name).unwrap_or(&Value::Null);
        let after = match &schema.kind {
            Kind::Object(object) => match object.properties.iter().find(|property| property.name.get() == name) {
                Some(property) => merge(&property.schema, before, change),
                None => merge(&ANYTHING, before, change),
            },
            Kind::Map(rules) => merge(rules.values, before, change),
            _ => merge(&ANYTHING, before, change),
        };
        merged.insert(name.clone(), after);
    }
    Value::Object(merged)
}

const ANYTHING: Schema = Schema::new(Kind::Any);

/// `value` without its secrets, as a fetch or a log may show it.
#[must_use]
pub fn without_secrets(schema: &Schema, value: &Value) -> Value {
    let mut value = value.clone();
    hide(schema, &mut value);
    value
}

fn hide(schema: &Schema, value: &mut Value) {
    match (&schema.kind, value) {
        (_, value) if schema.secret => *value = Value::Null,
        (Kind::Array(rules), Value::Array(items)) if rules.items.secret => items.clear(),
        (Kind::Array(rules), Value::Array(items)) => items.iter_mut().for_each(|item| hide(rules.items, item)),
        (Kind::Map(rules), Value::Object(members)) if rules.values.secret => members.clear(),
        (Kind::Map(rules), Value::Object(members)) => {
            members.values_mut().for_each(|value| hide(rules.values, value));
        }
        (Kind::Object(object), Value::Object(members)) => hide_members(object, None, members),
        (Kind::Tagged(tagged), Value::Object(members)) => match variant(tagged, members) {
            Some(object) => hide_members(object, Some(tagged), members),
            // Of a value that is no variant nobody knows what is secret.
            None => members.clear(),
        },
        _ => {}
    }
}

/// Leaves the members that may be seen. One that no property stands for may have been a secret of an earlier release.
fn hide_members(object: &Object, tagged: Option<&Tagged>, members: &mut JsonObject<String, Value>) {
    members.retain(|name, value| match object.properties.iter().find(|property| property.name.get() == name) {
        Some(property) if property.schema.secret => false,
        Some(property) => {
            hide(&property.schema, value);
            true
        }
        None => object.open || tagged.is_some_and(|tagged| tagged.tag.get() == name),
    });
}
