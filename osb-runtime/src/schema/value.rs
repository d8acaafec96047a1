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
    let none = Value::Object(JsonObject::new());
    let value = if value.is_null() { &none } else { value };
    let violations = check(&T::SCHEMA, value);
    if !violations.is_empty() {
        return Err(violations);
    }
    // Serde's own words would show the value, which may be a secret.
    T::deserialize(with_defaults(&T::SCHEMA, value)).map_err(|_| {
        let message = format!("this satisfies the schema, but is no `{}`", std::any::type_name::<T>());
        vec![Violation { pointer: String::new(), message }]
    })
}

/// `value` with every property that is absent and has a default.
#[must_use]
pub fn with_defaults(schema: &Schema, value: &Value) -> Value {
    match (&schema.kind, value) {
        (Kind::Array(rules), Value::Array(items)) => {
            Value::Array(items.iter().map(|item| with_defaults(rules.items, item)).collect())
        }
        (Kind::Map(rules), Value::Object(members)) => Value::Object(
            members.iter().map(|(name, value)| (name.clone(), with_defaults(rules.values, value))).collect(),
        ),
        (Kind::Object(object), Value::Object(members)) => filled(object, members),
        (Kind::Tagged(tagged), Value::Object(members)) => {
            variant(tagged, members).map_or_else(|| value.clone(), |object| filled(object, members))
        }
        _ => value.clone(),
    }
}

fn filled(object: &Object, members: &JsonObject<String, Value>) -> Value {
    let mut out = members.clone();
    for property in object.properties {
        let name = property.name.get();
        let value = match (members.get(name), &property.schema.default) {
            (Some(value), _) => with_defaults(&property.schema, value),
            (None, Some(default)) => with_defaults(&property.schema, &Value::from(default)),
            (None, None) => continue,
        };
        out.insert(name.to_owned(), value);
    }
    Value::Object(out)
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
    match (&schema.kind, value) {
        _ if schema.secret => Value::Null,
        (Kind::Array(rules), Value::Array(items)) if !rules.items.secret => {
            Value::Array(items.iter().map(|item| without_secrets(rules.items, item)).collect())
        }
        (Kind::Array(_), Value::Array(_)) => Value::Array(Vec::new()),
        (Kind::Map(rules), Value::Object(members)) if !rules.values.secret => Value::Object(
            members.iter().map(|(name, value)| (name.clone(), without_secrets(rules.values, value))).collect(),
        ),
        (Kind::Map(_), Value::Object(_)) => Value::Object(JsonObject::new()),
        (Kind::Object(object), Value::Object(members)) => open(object, members),
        (Kind::Tagged(tagged), Value::Object(members)) => {
            // Of a value that is no variant nobody knows what is secret.
            variant(tagged, members).map_or_else(|| Value::Object(JsonObject::new()), |object| open(object, members))
        }
        _ => value.clone(),
    }
}

/// The members that may be seen.
fn open(object: &Object, members: &JsonObject<String, Value>) -> Value {
    let mut out = members.clone();
    for property in object.properties {
        let name = property.name.get();
        if property.schema.secret {
            out.shift_remove(name);
        } else if let Some(value) = members.get(name) {
            out.insert(name.to_owned(), without_secrets(&property.schema, value));
        }
    }
    Value::Object(out)
}
