//! Parameters made from a plan's own schemas: good ones, other good ones, and bad ones.

mod invalid;
mod pattern;
#[cfg(test)]
mod tests;
mod values;

use jsonschema::Validator;
use serde_json::Value;

/// Parameters of an operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Samples {
    /// Good ones; none if the operation takes none.
    pub(super) good: Option<Value>,
    /// Others that are as good and mean something else.
    pub(super) other: Option<Value>,
    /// Ones that the schema refuses, with what is wrong with them.
    pub(super) bad: Vec<(String, Value)>,
}

impl Samples {
    /// Parameters by a schema: `None` if none can be made that it accepts.
    pub(super) fn of(schema: Option<&Value>) -> Option<Self> {
        let Some(schema) = schema else { return Some(Self::default()) };
        let validator = jsonschema::validator_for(schema).ok()?;
        let objects = values::objects(schema);
        let (good, other) = pair(&objects, &validator)?;
        let bad = invalid::of(schema, &good);
        let bad = bad.into_iter().filter(|(_, parameters)| !validator.is_valid(parameters)).collect();
        Some(Self { good: Some(good), other, bad })
    }
}

/// The first two that the schema accepts of a kind, of which the second differs from the first in what it says, not in
/// how much; the first one that it accepts if there are none.
fn pair(objects: &[Vec<Value>], validator: &Validator) -> Option<(Value, Option<Value>)> {
    let mut alone = None;
    for alike in objects {
        let mut good = alike.iter().filter(|object| validator.is_valid(object));
        match (good.next(), good.next()) {
            (Some(first), Some(second)) => return Some((first.clone(), Some(second.clone()))),
            (Some(first), None) => alone = alone.or(Some(first.clone())),
            (None, _) => {}
        }
    }
    Some((alone?, None))
}
