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
    check_update(plan, None, [update, create], true, false);
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

/// The place of a property: the properties that contain it, and its name.
struct Place<'a> {
    within: Option<&'a Place<'a>>,
    name: &'a str,
}

impl Place<'_> {
    const fn append(&self, message: &Message) -> Message {
        match self.within {
            Some(within) => within.append(message).text(".").text(self.name),
            None => message.text(self.name),
        }
    }
}

/// Checks the values of an update. An update is merged into objects and maps, and replaces other values. `hidden` is set within a
/// value that is secret in both.
#[track_caller]
const fn check_update(
    plan: &str,
    within: Option<&Place<'_>>,
    [update, create]: [&Schema; 2],
    merged: bool,
    hidden: bool,
) {
    if let (Some(place), false) = (within, hidden)
        && update.secret != create.secret
    {
        refuse_secret(plan, place, update.secret);
    }
    let hidden = hidden || update.secret && create.secret;
    match (&update.kind, &create.kind) {
        (Kind::Object(update), Kind::Object(create)) => check_members(plan, within, [update, create], merged, hidden),
        (Kind::Tagged(update), Kind::Object(create)) => {
            let mut at = 0;
            while at < update.variants.len() {
                check_name(plan, &Place { within, name: update.tag.get() }, create);
                check_members(plan, within, [&update.variants[at].object, create], merged, hidden);
                at += 1;
            }
        }
        (Kind::Map(update), Kind::Map(create)) => {
            check_update(plan, within, [update.values, create.values], merged, hidden);
        }
        (Kind::Array(update), Kind::Array(create)) => {
            check_update(plan, within, [update.items, create.items], false, hidden);
        }
        _ => {}
    }
}

#[track_caller]
const fn check_members(
    plan: &str,
    within: Option<&Place<'_>>,
    [update, create]: [&Object; 2],
    merged: bool,
    hidden: bool,
) {
    let mut at = 0;
    while at < update.properties.len() {
        let property = &update.properties[at];
        let place = Place { within, name: property.name.get() };
        if merged && property.schema.default.is_some() {
            let message = Message::new("the update parameters of plan ").name(plan).text(" have a default for `");
            place
                .append(&message)
                .text("`: an update would reset parameters that it does not contain: use the type that `#[parameters(partial = ...)]` generates")
                .panic();
        }
        if !property.update_only {
            check_name(plan, &place, create);
        }
        match create.property(property.name.get()) {
            Some(created) => check_property(plan, &place, [property, created], merged, hidden),
            // The create parameters are open, so it is stored like any unknown one.
            None if property.schema.secret && !property.update_only && !hidden => refuse_secret(plan, &place, true),
            None => {}
        }
        at += 1;
    }
}

#[track_caller]
const fn check_name(plan: &str, place: &Place<'_>, create: &Object) {
    if !create.open && create.property(place.name).is_none() {
        place
            .append(&Message::new("the update parameters of plan ").name(plan).text(" have `"))
            .text("`, which its create parameters do not have; an update is merged into them, so add it there")
            .panic();
    }
}

#[track_caller]
const fn check_property(plan: &str, place: &Place<'_>, [update, create]: [&Property; 2], merged: bool, hidden: bool) {
    if merged && create.immutable {
        place
            .append(&Message::new("the update parameters of plan ").name(plan).text(" have `"))
            .text("`, which is `immutable` in its create parameters; remove it from the update parameters, or remove `immutable`")
            .panic();
    }
    let (updated, created) = (&update.schema, &create.schema);
    let start = Message::new("in the update parameters of plan ").name(plan).text(", `");
    if let Some([updated, created]) = mismatch(updated, created) {
        place
            .append(&start)
            .text("` is ")
            .text(updated)
            .text(", and in its create parameters ")
            .text(created)
            .text("; an update is merged into them, so give both the same type")
            .panic();
    }
    if disjoint(updated, created) {
        place
            .append(&start)
            .text("` has no value within the bounds of its create parameters, to which `narrow` belongs; an update is merged into them, so give both bounds that overlap")
            .panic();
    }
    check_update(plan, Some(place), [updated, created], merged, hidden);
}

/// Refuses a property that is secret only in the update parameters, or only in the create parameters.
#[track_caller]
const fn refuse_secret(plan: &str, place: &Place<'_>, in_update: bool) -> ! {
    let [secret, shown] = if in_update { ["update", "create"] } else { ["create", "update"] };
    place
        .append(&Message::new("the ").text(secret).text(" parameters of plan ").name(plan).text(" have the secret `"))
        .text("`, which messages or fetched instances would show: declare it as secret in the ")
        .text(shown)
        .text(" parameters too, by the same type or `#[param(secret)]`")
        .panic()
}
