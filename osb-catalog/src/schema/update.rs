//! The update parameters of a plan, compared with its create parameters.

use super::{Kind, Object, Property, Schema, disjoint, mismatch};
use crate::text::Message;

/// Checks the update parameters of a plan against its create parameters: they have no defaults (T26), and every property
/// that is not `update_only` exists in the create parameters, has a value that fits there too, is not immutable there, and is secret
/// in both or in neither, in nested objects as well; and one property can change or is `update_only`.
/// Returns whether there are required properties, which cause a warning.
///
/// # Panics
///
/// At compile time, if they don't fit.
#[must_use]
#[track_caller]
pub const fn check_update_parameters(plan: &str, [update, create]: [&Schema; 2]) -> bool {
    check_value(&Value { plan, within: None, name: "", merged: true, hidden: false }, [update, create]);
    let (Kind::Object(update), Kind::Object(create)) = (&update.kind, &create.kind) else { return false };
    let (mut at, mut changeable) = (0, create.open || create.properties.is_empty());
    while at < create.properties.len() {
        changeable |= !create.properties[at].immutable;
        at += 1;
    }
    let mut required = false;
    at = 0;
    while at < update.properties.len() {
        changeable |= update.properties[at].update_only;
        required |= update.properties[at].required;
        at += 1;
    }
    if !changeable {
        let message =
            Message::new("`update` of plan ").name(plan).text(" can change nothing: all parameters of `create` are");
        message.text(" `immutable`; leave `update` out, or remove `immutable` from those that can change").panic();
    }
    required
}

/// A value among the update parameters of a plan.
#[derive(Clone, Copy)]
struct Value<'a> {
    plan: &'a str,
    /// The value that has this one as a property; the parameters as a whole are in none.
    within: Option<&'a Value<'a>>,
    name: &'a str,
    /// An update is merged into objects and maps, and replaces other values.
    merged: bool,
    /// It is within a value that is secret in both parameters.
    hidden: bool,
}

impl Value<'_> {
    const fn property<'a>(&'a self, name: &'a str) -> Value<'a> {
        Value { within: Some(self), name, ..*self }
    }

    /// Refuses a property, with the text before the plan and the texts after the property.
    #[track_caller]
    const fn refuse(&self, [before, between]: [&str; 2], after: &[&str]) -> ! {
        let mut message = self.append(&Message::new(before).text(" parameters of plan ").name(self.plan).text(between));
        let mut at = 0;
        while at < after.len() {
            message = message.text(after[at]);
            at += 1;
        }
        message.panic()
    }

    const fn append(&self, message: &Message) -> Message {
        match self.within {
            Some(within) if within.within.is_some() => within.append(message).text(".").text(self.name),
            _ => message.text(self.name),
        }
    }

    /// Refuses a property that is secret only in the update parameters, or only in the create parameters.
    #[track_caller]
    const fn refuse_secret(&self, in_update: bool) -> ! {
        let [secret, shown] = if in_update { ["the update", "create"] } else { ["the create", "update"] };
        let would = "`, which messages or fetched instances would show: declare it as secret in the ";
        self.refuse(
            [secret, " have the secret `"],
            &[would, shown, " parameters too, by the same type or `#[param(secret)]`"],
        )
    }
}

#[track_caller]
const fn check_value(value: &Value<'_>, [update, create]: [&Schema; 2]) {
    if value.within.is_some() && !value.hidden && update.secret != create.secret {
        value.refuse_secret(update.secret);
    }
    let value = &Value { hidden: value.hidden || update.secret && create.secret, ..*value };
    match (&update.kind, &create.kind) {
        (Kind::Object(update), Kind::Object(create)) => check_members(value, [update, create]),
        (Kind::Tagged(update), Kind::Object(create)) => {
            let mut at = 0;
            while at < update.variants.len() {
                check_name(&value.property(update.tag.get()), create);
                check_members(value, [&update.variants[at].object, create]);
                at += 1;
            }
        }
        (Kind::Map(update), Kind::Map(create)) => check_value(value, [update.values, create.values]),
        (Kind::Array(update), Kind::Array(create)) => {
            check_value(&Value { merged: false, ..*value }, [update.items, create.items]);
        }
        _ => {}
    }
}

#[track_caller]
const fn check_members(value: &Value<'_>, [update, create]: [&Object; 2]) {
    let mut at = 0;
    while at < update.properties.len() {
        let property = &update.properties[at];
        let value = value.property(property.name.get());
        if value.merged && property.schema.default.is_some() {
            let why = "`: an update would reset parameters that it does not contain: use the type that `#[parameters(partial = ...)]` generates";
            value.refuse(["the update", " have a default for `"], &[why]);
        }
        if !property.update_only {
            check_name(&value, create);
        }
        match create.property(value.name) {
            Some(created) => check_property(&value, [property, created]),
            // The create parameters are open, so it is stored like any unknown one.
            None if property.schema.secret && !property.update_only && !value.hidden => value.refuse_secret(true),
            None => {}
        }
        at += 1;
    }
}

#[track_caller]
const fn check_name(value: &Value<'_>, create: &Object) {
    if !create.open && create.property(value.name).is_none() {
        let why = "`, which its create parameters do not have; an update is merged into them, so add it there";
        value.refuse(["the update", " have `"], &[why]);
    }
}

#[track_caller]
const fn check_property(value: &Value<'_>, [update, create]: [&Property; 2]) {
    if value.merged && create.immutable {
        let why = "`, which is `immutable` in its create parameters; remove it from the update parameters, or remove `immutable`";
        value.refuse(["the update", " have `"], &[why]);
    }
    let (updated, created) = (&update.schema, &create.schema);
    if let Some([updated, created]) = mismatch(updated, created) {
        let why = "; an update is merged into them, so give both the same type";
        value.refuse(["in the update", ", `"], &["` is ", updated, ", and in its create parameters ", created, why]);
    }
    if disjoint(updated, created) {
        let why = "` has no value within the bounds of its create parameters, to which `narrow` belongs; an update is merged into them, so give both bounds that overlap";
        value.refuse(["in the update", ", `"], &[why]);
    }
    check_value(value, [updated, created]);
}
