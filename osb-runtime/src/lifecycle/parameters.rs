//! The parameters of requests and records: comparison, validation, and the parameters after an update.

use serde_json::{Map, Value};

use super::answers;
use crate::{
    catalog::{Decoded, ParametersInfo, PlanInfo},
    json::pointer,
    protocol::Answer,
    schema::{
        IMMUTABLE, Kind as SchemaKind, Property, Schema, canonical, changed_immutables, is_immutable, known, lasting,
        merge, renamed, with_defaults, with_unknown,
    },
};

/// Returns whether two values are equivalent parameters: equal, or equal after defaults are filled in. 1 and 1.0 are
/// the same number in JSON.
pub(super) fn same_parameters(parameters: Option<&ParametersInfo>, a: &Value, b: &Value) -> bool {
    let filled = |value| match parameters {
        Some(parameters) => canonical(&with_defaults(parameters.schema, value)),
        None => canonical(value),
    };
    a == b || filled(a) == filled(b)
}

/// Returns whether there are no parameters.
pub(super) fn is_empty(parameters: &Value) -> bool {
    parameters.as_object().is_none_or(Map::is_empty)
}

/// Validates and decodes the parameters of a request; the error response lists all violations (PROV-07, UPD-07, BIND-06).
pub(super) fn decode_parameters(
    plan: &PlanInfo,
    parameters: Option<&ParametersInfo>,
    value: &Value,
) -> Result<Option<Decoded>, Answer> {
    match parameters {
        Some(parameters) => (parameters.decode)(parameters.schema, value)
            .map(Some)
            .map_err(|violations| answers::violations(&violations)),
        None if is_empty(value) => Ok(None),
        None => Err(answers::no_parameters(plan)),
    }
}

/// Returns the current parameters that the new plan has too, under their current names.
pub(super) fn carry_over(from: &PlanInfo, to: &PlanInfo, parameters: &Value) -> Value {
    let Some(create) = &to.create else { return Value::Object(Map::new()) };
    let so_far = from.create.map_or_else(|| parameters.clone(), |from| renamed(from.schema, parameters));
    known(create.schema, so_far)
}

/// Returns the parameters after an update, with the stored ones that only another release of the broker knows.
pub(super) fn keep_unknown(plan: &PlanInfo, after: Value, stored: &Value) -> Value {
    if let Some(create) = &plan.create { with_unknown(create.schema, after, stored) } else { after }
}

/// Validates the parameters after an update. `changes` are those of the request. Stored parameters that violate a newer schema
/// have to be set by the same update, unless they are `immutable`; and so do those that the new plan does not accept (UPD-14).
pub(super) fn check_result(plan: &PlanInfo, after: &Value, changes: Option<&Value>, moves: bool) -> Result<(), Answer> {
    let Some(create) = &plan.create else { return decode_parameters(plan, None, after).map(drop) };
    let Err(mut violations) = create.check(after) else { return Ok(()) };
    let mut are_stored = true;
    violations.retain_mut(|violation| {
        let property = property(create.schema, &violation.pointer);
        let is_set = |name| changes.is_some_and(|changes| changes.get(name).is_some());
        let is_absent = |property: &Property| after.get(property.name.get()).is_none();
        match property.filter(|property| !(property.names().any(is_set) || moves && is_absent(property))) {
            Some(property) if property.immutable => moves || is_absent(property),
            Some(_) => {
                violation.message.push_str(" (set it in this update too)");
                true
            }
            None => {
                are_stored = false;
                true
            }
        }
    });
    match violations.as_slice() {
        [] => Ok(()),
        stored if moves && are_stored => Err(answers::stored_violations(plan, stored)),
        violations => Err(answers::violations(violations)),
    }
}

/// Validates changes and merges them into the current parameters (RFC 7386). Returns true if some are not stored, but have an effect.
pub(super) fn apply(to: &PlanInfo, current: &Value, changes: &Value) -> Result<(Value, bool), Answer> {
    let (Some(update), Some(create)) = (&to.update, &to.create) else {
        return Err(answers::unsupported(format!("Plan {:?} has no parameters that can be updated.", to.spec.name)));
    };
    update.check(changes).map_err(|mut violations| {
        // Immutable properties are not in the update's schema, but "not a known property" would be misleading.
        for violation in violations.iter_mut().filter(|violation| is_immutable(create.schema, &violation.pointer)) {
            IMMUTABLE.clone_into(&mut violation.message);
        }
        answers::violations(&violations)
    })?;
    let changes = renamed(update.schema, changes);
    let stored = lasting(update.schema, changes.clone());
    let after = merge(create.schema, current, &stored);
    let violations = changed_immutables(create.schema, current, &after);
    if violations.is_empty() { Ok((after, stored != changes)) } else { Err(answers::violations(&violations)) }
}

/// Finds the top-level property that contains the value at a JSON pointer.
fn property<'a>(schema: &'a Schema, pointer: &str) -> Option<&'a Property> {
    let SchemaKind::Object(object) = &schema.kind else { return None };
    let name = pointer::steps(pointer).next()?;
    object.properties.iter().find(|property| property.is_called(&name))
}
