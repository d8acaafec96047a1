//! The rules across items, as functions that fail a constant's evaluation. The compiler prints their message at the
//! span that the whole call was given; `#[track_caller]` keeps our own lines out of the error.
//!
//! An item whose attribute has mistakes has no id, and an invalid offering no plans: they take part in no comparison.

use super::model::{Mode, Offering, PlanInfo};
use crate::schema::{Kind, Message, same};

/// A plan of an offering differs from the ones listed before it: in name (CAT-31) and id (CAT-30).
#[track_caller]
pub const fn distinct_plan(service: &str, plan: &PlanInfo, earlier: &[PlanInfo]) {
    let plan = &plan.spec;
    let mut i = 0;
    while i < earlier.len() {
        let other = &earlier[i].spec;
        if !plan.id.is_empty() && !other.id.is_empty() {
            if same(plan.id, other.id) {
                Message::new("plans ")
                    .name(other.name)
                    .text(" and ")
                    .name(plan.name)
                    .text(" of ")
                    .name(service)
                    .text(" share the id ")
                    .text(plan.id)
                    .text("; a plan's id is globally unique (CAT-30): give one of them a new GUID")
                    .panic();
            }
            if same(plan.name, other.name) {
                Message::new("two plans of ")
                    .name(service)
                    .text(" are named ")
                    .name(plan.name)
                    .text("; a plan's name is unique in its offering (CAT-31): rename one of them")
                    .panic();
            }
        }
        i += 1;
    }
}

/// Whether a plan's name differs from that of one before it in nothing but case: a Cloud Foundry on MySQL stores one of
/// them only.
#[must_use]
pub const fn names_alike(plan: &PlanInfo, earlier: &[PlanInfo]) -> bool {
    let name = plan.spec.name;
    let mut i = 0;
    while i < earlier.len() {
        let other = &earlier[i].spec;
        if name.eq_ignore_ascii_case(other.name) && !same(name, other.name) {
            return true;
        }
        i += 1;
    }
    false
}

/// An offering differs from the ones before it: in name, in id, in the ids of its plans and in its dashboard client.
#[track_caller]
pub const fn distinct_offering(offering: &Offering, earlier: &[&Offering]) {
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
            if same(offering.id, other.id) {
                Message::new("services ")
                    .name(other.name)
                    .text(" and ")
                    .name(offering.name)
                    .text(" share the id ")
                    .text(offering.id)
                    .text("; an offering's id is globally unique (CAT-11): give one of them a new GUID")
                    .panic();
            }
            if let (Some(a), Some(b)) = (&offering.dashboard_client, &other.dashboard_client)
                && same(a.id, b.id)
            {
                Message::new("services ")
                    .name(other.name)
                    .text(" and ")
                    .name(offering.name)
                    .text(" share the dashboard client ")
                    .name(a.id)
                    .text("; Cloud Foundry wants a client id of its own for each service (PROF-20): rename one of them")
                    .panic();
            }
            distinct_plan_ids(offering, other);
        }
        i += 1;
    }
}

#[track_caller]
const fn distinct_plan_ids(offering: &Offering, other: &Offering) {
    let mut i = 0;
    while i < offering.plans.len() {
        let mut j = 0;
        while j < other.plans.len() {
            let (a, b) = (&other.plans[j].spec, &offering.plans[i].spec);
            if !a.id.is_empty() && same(a.id, b.id) {
                Message::new("plan ")
                    .name(a.name)
                    .text(" of ")
                    .name(other.name)
                    .text(" and plan ")
                    .name(b.name)
                    .text(" of ")
                    .name(offering.name)
                    .text(" share the id ")
                    .text(b.id)
                    .text("; a plan's id is globally unique (CAT-30): give one of them a new GUID")
                    .panic();
            }
            j += 1;
        }
        i += 1;
    }
}

/// Whether an id of the offering or its plans is used for a plan and for an offering: allowed, but confusing.
#[must_use]
pub const fn mixes_ids(offering: &Offering, earlier: &[&Offering]) -> bool {
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
    let mut i = 0;
    while i < offering.plans.len() {
        if same(id, offering.plans[i].spec.id) {
            return !id.is_empty();
        }
        i += 1;
    }
    false
}

/// No plan is left for a retired one.
#[track_caller]
pub const fn check_change(from: &PlanInfo, to: &PlanInfo) {
    if to.spec.retired {
        Message::new("plan ")
            .name(to.spec.name)
            .text(" is retired, so that no instance can change to it; drop the change from ")
            .name(from.spec.name)
            .panic();
    }
}

/// Whoever binds asynchronously gets the credentials by fetching the binding (GETB-04, T44).
#[track_caller]
pub const fn credentials_can_be_fetched(offering: &Offering) {
    let mut i = 0;
    while i < offering.plans.len() {
        let plan = &offering.plans[i].spec;
        if matches!(plan.asynchronous.bindings, Mode::Always) && !offering.bindings_retrievable {
            Message::new("plan ")
                .name(plan.name)
                .text(" says `asynchronous(bindings = always)` and service ")
                .name(offering.name)
                .text(" `bindings_retrievable = false`, so that no platform could get the credentials: it fetches them once the binding is made (GETB-04); drop one of the two")
                .panic();
        }
        i += 1;
    }
}

/// An offering shows at least one plan (CAT-22).
#[track_caller]
pub const fn shows_a_plan(offering: &Offering) {
    let mut i = 0;
    while i < offering.plans.len() {
        if !offering.plans[i].spec.retired {
            return;
        }
        i += 1;
    }
    Message::new("every plan of ")
        .name(offering.name)
        .text(" is retired, and an offering shows at least one (CAT-22); take `retired` from one of them, or the service out of the broker")
        .panic();
}

/// Whether a plan that is shown is bindable.
#[must_use]
pub const fn binds(offering: &Offering) -> bool {
    let mut i = 0;
    while i < offering.plans.len() {
        if offering.plans[i].spec.bindable && !offering.plans[i].spec.retired {
            return true;
        }
        i += 1;
    }
    false
}

/// A broker that isn't dynamic knows every schema when it is compiled.
#[track_caller]
pub const fn no_foreign_types(offering: &Offering) {
    let mut i = 0;
    while i < offering.plans.len() {
        let plan = &offering.plans[i];
        let all = [plan.create, plan.update, plan.bind];
        let mut j = 0;
        while j < all.len() {
            if let Some(parameters) = all[j]
                && parameters.json.is_empty()
            {
                Message::new("the parameters of plan ")
                    .name(plan.spec.name)
                    .text(" contain a type whose schema is known only at run time; say `#[broker(dynamic)]` to have the catalog put together and checked when the program starts")
                    .panic();
            }
            j += 1;
        }
        i += 1;
    }
}

/// Asked for with `deny(lowercase_names)`: platforms up to 2.13 take names of lower-case letters, digits and hyphens.
#[track_caller]
pub const fn lint_lowercase_names(offering: &Offering) {
    lowercase("service", offering.name);
    let mut i = 0;
    while i < offering.plans.len() {
        if !offering.plans[i].spec.retired {
            lowercase("plan", offering.plans[i].spec.name);
        }
        i += 1;
    }
}

#[track_caller]
const fn lowercase(what: &str, name: &str) {
    let bytes = name.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if !matches!(bytes[i], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            Message::new("the name of ")
                .text(what)
                .text(" ")
                .name(name)
                .text(" has more than lower-case letters, digits and hyphens, which platforms up to 2.13 may refuse (CAT-06): rename it")
                .panic();
        }
        i += 1;
    }
}

/// Asked for with `deny(one_way_changes)`: platforms before 2.15 know whether plans can be left from the offering alone.
#[track_caller]
pub const fn lint_one_way_changes(offering: &Offering) {
    let (mut left, mut kept) = (None, None);
    let mut i = 0;
    while i < offering.plans.len() {
        let plan = &offering.plans[i];
        if !plan.spec.retired {
            if plan.updateable {
                left = Some(plan.spec.name);
            } else {
                kept = Some(plan.spec.name);
            }
        }
        i += 1;
    }
    if let (Some(left), Some(kept)) = (left, kept) {
        Message::new("plan ")
            .name(kept)
            .text(" of ")
            .name(offering.name)
            .text(" cannot be left and ")
            .name(left)
            .text(" can, but platforms before 2.15 know one answer for all plans (CAT-37); declare a change from ")
            .name(kept)
            .text(", or none")
            .panic();
    }
}

/// Asked for with `deny(required_create_parameters)`: platforms before 2.5 cannot send parameters.
#[track_caller]
pub const fn lint_required_parameters(offering: &Offering) {
    let mut i = 0;
    while i < offering.plans.len() {
        let plan: &PlanInfo = &offering.plans[i];
        if let Some(create) = &plan.create
            && let Kind::Object(object) = &create.schema.kind
        {
            let mut j = 0;
            while j < object.properties.len() {
                if object.properties[j].required && !plan.spec.retired {
                    Message::new("plan ")
                        .name(plan.spec.name)
                        .text(" cannot be provisioned without the parameter ")
                        .name(object.properties[j].name.get())
                        .text(", and platforms before 2.5 send none; give it a default")
                        .panic();
                }
                j += 1;
            }
        }
        i += 1;
    }
}

/// A warning that a constant decides: `Warning::<CONDITION>` has the deprecated function only where the condition holds.
pub struct Warning<const CONDITION: bool>;

/// The same functions without a warning, for where the condition doesn't hold, or can't be decided because of an error.
pub trait Silent {
    /// Nothing to warn of.
    fn two_plan_names_differ_in_case_only() {}
    /// Nothing to warn of.
    fn an_offering_and_a_plan_share_an_id() {}
    /// Nothing to warn of.
    fn bindings_are_retrievable_but_no_plan_is_bindable() {}
    /// Nothing to warn of.
    fn an_update_requires_parameters() {}
    /// Nothing to warn of.
    fn a_schema_is_nearly_too_large() {}
}

impl<const CONDITION: bool> Silent for Warning<CONDITION> {}

impl Warning<true> {
    /// CAT-05, CAT-31.
    #[deprecated(
        note = "two plans have names that differ in nothing but case, which a Cloud Foundry on MySQL takes for the same name (CAT-31); rename one of them"
    )]
    pub fn two_plan_names_differ_in_case_only() {}
    /// CAT-11, CAT-30.
    #[deprecated(
        note = "an offering and a plan have the same id; platforms allow it, people mix them up: give one of them a new GUID"
    )]
    pub fn an_offering_and_a_plan_share_an_id() {}
    /// CAT-17.
    #[deprecated(note = "no plan of this offering is bindable; drop `bindings_retrievable`, or make a plan bindable")]
    pub fn bindings_are_retrievable_but_no_plan_is_bindable() {}
    /// T26.
    #[deprecated(
        note = "every update has to send the required parameters of this type, whatever it changes; make them `Option`, or use the type that `#[parameters(partial = ...)]` generates"
    )]
    pub fn an_update_requires_parameters() {}
    /// CAT-53, X13.
    #[deprecated(
        note = "this schema has more than 64000 bytes, which a platform that takes 64 kB for 64000 refuses (CAT-53): shorten the descriptions, or have fewer parameters"
    )]
    pub fn a_schema_is_nearly_too_large() {}
}
