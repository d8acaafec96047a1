//! Checks across items, which run in const evaluation. The compiler shows their messages at the span of the call;
//! `#[track_caller]` keeps the lines of this file out of the error.
//!
//! An item whose attribute has mistakes has no id, and an invalid offering no plans: they take part in no comparison.

use super::model::{DashboardClient, Mode, Offering, ParametersInfo, PlanInfo};
use crate::{
    schema::{Kind, Object, Property, Schema, mismatch},
    text::{Message, hash_ignoring_case, same, same_ignoring_case},
    uri,
};

const UNIQUE_PLAN: &str = "a plan's id is globally unique (CAT-30)";

/// Parameters without a [`Change`](crate::schema::Change). `null` resets a property in an update, and is refused elsewhere.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can only be the parameters of an update",
    label = "it has a `Change`",
    note = "if `#[parameters(partial = {Self})]` generates it, write the type under that attribute; otherwise write its properties without `Change`"
)]
pub trait Complete<const IS_COMPLETE: bool> {}

impl<T> Complete<true> for T {}

/// Compiles only if `IS_COMPLETE`, which is the result of [`has_no_change`]. Returns `true`.
#[must_use]
pub const fn is_complete<T: Complete<IS_COMPLETE>, const IS_COMPLETE: bool>() -> bool {
    true
}

/// Returns whether no property of an object, or of an object in it, is a `Change`.
#[must_use]
pub const fn has_no_change(schema: &Schema) -> bool {
    let Kind::Object(Object { properties, .. }) = &schema.kind else { return true };
    let mut i = 0;
    while i < properties.len() {
        let schema = &properties[i].schema;
        // A call for each property would take longer than the rest.
        if schema.nullable || (matches!(schema.kind, Kind::Object(_)) && !has_no_change(schema)) {
            return false;
        }
        i += 1;
    }
    true
}

/// Checks that a plan has a different name (CAT-31) and id (CAT-30) than the plans before it in its offering, and that it can be
/// bound.
#[track_caller]
pub const fn check_plan(service: &str, plan: &PlanInfo, earlier: &[PlanInfo]) {
    if let Some(message) = not_distinct(service, plan, earlier) {
        message.panic();
    }
    check_app(plan);
}

/// Returns the message about a plan's name or id.
pub(super) const fn not_distinct(service: &str, plan: &PlanInfo, earlier: &[PlanInfo]) -> Option<Message> {
    let (plan, is_family) = (&plan.spec, plan.family.is_some());
    let mut i = 0;
    while i < earlier.len() {
        let other = &earlier[i].spec;
        if !plan.id.is_empty() && !other.id.is_empty() {
            // The id of a family is its name.
            if !is_family && plan.hashes.id == other.hashes.id && same_ignoring_case(plan.id, other.id) {
                let plans = Message::new("plans ").name(other.name).text(" and ").name(plan.name);
                return Some(same_id_message(&plans.text(" of ").name(service), plan.id, other.id, UNIQUE_PLAN));
            }
            if plan.hashes.name == other.hashes.name && same(plan.name, other.name) {
                let message = Message::new("two plans of ").name(service).text(" are named ").name(plan.name);
                return Some(message.text("; a plan's name is unique in its offering (CAT-31): rename one of them"));
            }
        }
        i += 1;
    }
    None
}

/// Returns the message for two ids that are equal, or differ only in case: that is the same GUID, and Cloud Foundry on
/// MySQL compares ids without case.
const fn same_id_message(items: &Message, id: &str, other: &str, rule: &str) -> Message {
    let message = items.text(" share the id ").text(id);
    let message = if same(id, other) { message } else { message.text(", apart from upper and lower case") };
    message.text("; ").text(rule).text(": give one of them a new GUID")
}

/// Returns whether the name of a plan differs only in case from that of a plan before it. Cloud Foundry on MySQL can
/// store only one of them.
#[must_use]
pub const fn names_alike(plan: &PlanInfo, earlier: &[PlanInfo]) -> bool {
    let plan = &plan.spec;
    let mut i = 0;
    while i < earlier.len() {
        let other = &earlier[i].spec;
        if plan.hashes.name == other.hashes.name
            && plan.name.eq_ignore_ascii_case(other.name)
            && !same(plan.name, other.name)
        {
            return true;
        }
        i += 1;
    }
    false
}

/// Returns whether the name of an offering differs only in case from that of an offering before it.
#[must_use]
pub const fn offering_names_alike(offering: &Offering, earlier: &[&Offering]) -> bool {
    let mut rest = earlier;
    while let [first, after @ ..] = rest {
        if offering.name.eq_ignore_ascii_case(first.name) && !same(offering.name, first.name) {
            return true;
        }
        rest = after;
    }
    false
}

/// Checks that an offering has a different name, id, plan ids and dashboard client than the offerings before it.
#[track_caller]
pub const fn check_distinct_offering(offering: &Offering, earlier: &[&Offering]) {
    let mut i = 0;
    while i < earlier.len() {
        let other = earlier[i];
        if !offering.id.is_empty() && !other.id.is_empty() {
            if same(offering.name, other.name) {
                Message::new("two services are named ")
                    .name(offering.name)
                    .text("; an offering's name is unique in the catalog (CAT-10): rename one of them")
                    .panic();
            }
            if same_ignoring_case(offering.id, other.id) {
                let services = Message::new("services ").name(other.name).text(" and ").name(offering.name);
                same_id_message(&services, offering.id, other.id, "an offering's id is globally unique (CAT-11)")
                    .panic();
            }
            let (theirs, own) = (other.dashboard_client, offering.dashboard_client);
            if let Some(message) = client_conflict(other.name, theirs, offering.name, own) {
                message.panic();
            }
            let mut plan = 0;
            while plan < offering.plans.len() {
                if let Some(message) = plan_id_conflict(offering.name, &offering.plans[plan], other.name, other.plans) {
                    message.panic();
                }
                plan += 1;
            }
        }
        i += 1;
    }
}

/// Returns the message for two services with the same dashboard client (PROF-20).
pub(super) const fn client_conflict(
    service: &str,
    client: Option<DashboardClient>,
    other_service: &str,
    other: Option<DashboardClient>,
) -> Option<Message> {
    match (client, other) {
        (Some(a), Some(b)) if same(a.id, b.id) => Some(
            Message::new("services ")
                .name(service)
                .text(" and ")
                .name(other_service)
                .text(" share the dashboard client ")
                .name(a.id)
                .text("; Cloud Foundry requires a different client id for each service (PROF-20): rename one of them"),
        ),
        _ => None,
    }
}

/// Returns the message for a plan of `service` with the id of a plan of another one (CAT-30).
pub(super) const fn plan_id_conflict(
    service: &str,
    plan: &PlanInfo,
    other_service: &str,
    plans: &[PlanInfo],
) -> Option<Message> {
    let b = &plan.spec;
    let mut rest = plans;
    while let [first, after @ ..] = rest {
        let a = &first.spec;
        if a.hashes.id == b.hashes.id && !a.id.is_empty() && same_ignoring_case(a.id, b.id) {
            let plans = Message::new("plan ").name(a.name).text(" of ").name(other_service).text(" and plan ");
            return Some(same_id_message(&plans.name(b.name).text(" of ").name(service), b.id, a.id, UNIQUE_PLAN));
        }
        rest = after;
    }
    None
}

/// Returns whether an offering and a plan have the same id, which is allowed but confusing.
#[must_use]
pub const fn shares_id_with_plan(offering: &Offering, earlier: &[&Offering]) -> bool {
    if plan_has_id(offering.id, offering) {
        return true;
    }
    let mut i = 0;
    while i < earlier.len() {
        if plan_has_id(offering.id, earlier[i]) || plan_has_id(earlier[i].id, offering) {
            return true;
        }
        i += 1;
    }
    false
}

const fn plan_has_id(id: &str, offering: &Offering) -> bool {
    let hash = hash_ignoring_case(id);
    let mut rest = offering.plans;
    while let [first, after @ ..] = rest {
        if hash == first.spec.hashes.id && same(id, first.spec.id) {
            return !id.is_empty();
        }
        rest = after;
    }
    false
}

/// Checks that a change does not lead to a retired plan, that each parameter that the new plan requires can be in the instance or
/// in the request, and that no parameter ceases to be secret.
#[track_caller]
pub const fn check_change(from: &PlanInfo, to: &PlanInfo) {
    if to.spec.retired {
        Message::new("plan ")
            .name(to.spec.name)
            .text(" is retired, so no instance can change to it; remove the change from ")
            .name(from.spec.name)
            .panic();
    }
    let Some(ParametersInfo { schema: Schema { kind: Kind::Object(created), .. }, .. }) = &to.create else { return };
    let mut i = 0;
    while i < created.properties.len() {
        let property = &created.properties[i];
        if property.required && !can_have(from.create.as_ref(), property) && !can_have(to.update.as_ref(), property) {
            let message = Message::new("no instance can change from ")
                .name(from.spec.name)
                .text(" to ")
                .name(to.spec.name)
                .text(", which requires ")
                .name(property.name.get());
            if let Some(former) = of_same_name(from.create.as_ref(), property)
                && let Some([own, other]) = mismatch(&former.schema, &property.schema)
            {
                message
                    .text(": it is ")
                    .text(own)
                    .text(" in the parameters of ")
                    .name(from.spec.name)
                    .text(" and ")
                    .text(other)
                    .text(" in those of ")
                    .name(to.spec.name)
                    .text("; give both the same type, or the second one another name")
                    .panic();
            }
            message
                .text(": neither the parameters of ")
                .name(from.spec.name)
                .text(" nor those for updates of ")
                .name(to.spec.name)
                .text(" have it; make it an `Option`, give it a default, or add it to one of the two")
                .panic();
        }
        if !property.schema.secret
            && let Some(former) = of_same_name(from.create.as_ref(), property)
            && former.schema.secret
        {
            Message::new("a change from ")
                .name(from.spec.name)
                .text(" to ")
                .name(to.spec.name)
                .text(" would show the secret ")
                .name(former.name.get())
                .text(" in fetched instances and logs: mark ")
                .name(property.name.get())
                .text(" as `#[param(secret)]` in the parameters of ")
                .name(to.spec.name)
                .text(" too")
                .panic();
        }
        i += 1;
    }
}

/// Returns whether parameters can have a value for a property.
const fn can_have(parameters: Option<&ParametersInfo>, wanted: &Property) -> bool {
    match (of_same_name(parameters, wanted), parameters) {
        (Some(found), _) => mismatch(&found.schema, &wanted.schema).is_none(),
        (None, None) => false,
        (None, Some(ParametersInfo { schema: Schema { kind: Kind::Object(object), .. }, .. })) => object.open,
        (None, Some(_)) => true,
    }
}

/// Returns the property of an object whose value becomes that of `wanted`.
const fn of_same_name<'a>(parameters: Option<&'a ParametersInfo>, wanted: &Property) -> Option<&'a Property> {
    let Some(ParametersInfo { schema: Schema { kind: Kind::Object(object), .. }, .. }) = parameters else {
        return None;
    };
    let mut found = object.property(wanted.name.get());
    let mut i = 0;
    while found.is_none() && i < wanted.aliases.len() {
        found = object.property(wanted.aliases[i]);
        i += 1;
    }
    found
}

/// Checks that credentials of asynchronous bindings can be fetched (GETB-04, T44).
#[track_caller]
pub const fn check_retrievable_credentials(offering: &Offering) {
    let mut i = 0;
    while let Some(PlanInfo { spec: plan, .. }) = offering.plan_or_family(i) {
        if matches!(plan.asynchronous.bindings, Mode::Always) && !offering.bindings_retrievable {
            Message::new("plan ")
                .name(plan.name)
                .text(" has `asynchronous(bindings = always)`, but service ")
                .name(offering.name)
                .text(" has `bindings_retrievable = false`, so platforms can't fetch the credentials when the binding is ready (GETB-04); remove one of the two")
                .panic();
        }
        i += 1;
    }
}

/// Checks that an offering has at least one plan that is not retired (CAT-22), and that the first one that it lists can be
/// bound.
#[track_caller]
pub const fn check_first_plan(offering: &Offering, first: &PlanInfo) {
    check_app(first);
    let mut i = 0;
    while let Some(plan) = offering.plan_or_family(i) {
        if !plan.spec.retired {
            return;
        }
        i += 1;
    }
    Message::new("all plans of ")
        .name(offering.name)
        .text(" are retired, but an offering needs at least one other plan (CAT-22); remove `retired` from one of them, and hide that plan in the catalog overrides of each deployment (`hidden = true`), or remove the service once it has no instances")
        .panic();
}

/// Checks that the bindings of a plan that requires an application can have one: those of routes have none (BIND-12).
#[track_caller]
const fn check_app(plan: &PlanInfo) {
    if plan.spec.requires_app && plan.requires.route_forwarding {
        Message::new("plan ")
            .name(plan.spec.name)
            .text(" is bound to routes (`RouteService`), and `requires_app` refuses each binding without an application (BIND-12): remove `requires_app`")
            .panic();
    }
}

/// Checks that an argument is a URL for browsers (RFC 3986).
#[track_caller]
pub const fn check_url(argument: &str, text: &str) {
    if uri::parse_web(text.as_bytes()).is_err() {
        Message::new("")
            .name(argument)
            .text(" is not a URL: its host or port is malformed; write `https://HOST/...` or `https://HOST:PORT/...`")
            .panic();
    }
}

/// Returns whether a plan in the catalog, or of a family, is bindable.
#[must_use]
pub const fn has_bindable_plan(offering: &Offering) -> bool {
    let mut i = 0;
    while let Some(plan) = offering.plan_or_family(i) {
        if plan.spec.bindable && !plan.spec.retired {
            return true;
        }
        i += 1;
    }
    false
}

/// Checks that all schemas are known at compile time, which is required unless the broker is dynamic.
#[track_caller]
pub const fn check_no_foreign_types(offering: &Offering) {
    let mut i = 0;
    while let Some(plan) = offering.plan_or_family(i) {
        let all = [plan.create, plan.update, plan.bind];
        let mut j = 0;
        while j < all.len() {
            if let Some(parameters) = all[j]
                && parameters.json.is_empty()
            {
                Message::new("the parameters of plan ")
                    .name(plan.spec.name)
                    .text(" contain a type whose schema is known only at run time; use `#[broker(dynamic)]` to generate and check the catalog when the program starts")
                    .panic();
            }
            j += 1;
        }
        i += 1;
    }
}
