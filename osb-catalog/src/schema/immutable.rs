//! Parameters that an update can't change.

use serde_json::{Map, Value};

use super::{Kind, Schema, Violation, ViolationKind};
use crate::json::pointer;

/// The message for a changed immutable property.
pub const IMMUTABLE: &str = "cannot be changed once the instance exists";

/// Returns the immutable properties that an update has changed although its schema has no such property: one of an open type, or one
/// within an object that was replaced or reset. Entries of maps come and go, but keep theirs as long as they exist.
#[must_use]
pub fn changed_immutables(schema: &Schema, before: &Value, after: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    find_changed(schema, before, Some(after), &Place::default(), &mut found);
    found
}

fn find_changed(schema: &Schema, before: &Value, after: Option<&Value>, place: &Place, found: &mut Vec<Violation>) {
    let Value::Object(before) = before else { return };
    let none = Map::new();
    let after = after.and_then(Value::as_object).unwrap_or(&none);
    match &schema.kind {
        Kind::Object(object) => {
            for property in object.properties {
                let name = property.name.get();
                let in_effect = |members: &Map<String, Value>| {
                    let given = members.get(name).filter(|value| !value.is_null()).cloned();
                    given.or_else(|| property.schema.default.as_ref().map(Value::from))
                };
                let (was, is) = (in_effect(before), in_effect(after));
                let place = place.member(schema, name);
                if property.immutable && was != is {
                    let (pointer, message) = (place.pointer, IMMUTABLE.to_owned());
                    found.push(Violation { pointer, message, kind: ViolationKind::Constraint });
                } else if let Some(was) = was {
                    find_changed(&property.schema, &was, is.as_ref(), &place, found);
                }
            }
        }
        Kind::Map(map) => {
            for (name, was) in before {
                if let Some(is) = after.get(name) {
                    find_changed(map.values, was, Some(is), &place.member(schema, name), found);
                }
            }
        }
        _ => {}
    }
}

/// The place of a value. It ends at a secret, of which names inside it may be a part.
#[derive(Default)]
struct Place {
    pointer: String,
    secret: bool,
}

impl Place {
    /// Returns the place of a member of the value here, which has this schema.
    fn member(&self, schema: &Schema, name: &str) -> Self {
        let secret = self.secret || schema.secret;
        let pointer = if secret { self.pointer.clone() } else { pointer::member(&self.pointer, name) };
        Self { pointer, secret }
    }
}

/// Returns whether a JSON pointer names an immutable property that an update can't have, at any depth.
#[must_use]
pub fn is_immutable(schema: &Schema, pointer: &str) -> bool {
    let found = pointer::steps(pointer).try_fold((schema, false), |(schema, _), name| match &schema.kind {
        Kind::Object(object) => {
            let property = object.properties.iter().find(|property| property.is_called(&name))?;
            Some((&property.schema, property.immutable))
        }
        Kind::Map(map) => Some((map.values, false)),
        // An update replaces a list as a whole.
        _ => None,
    });
    found.is_some_and(|(_, immutable)| immutable)
}
