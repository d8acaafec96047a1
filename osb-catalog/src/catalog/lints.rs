//! The lints that authors opt in to: catalogs that the newest specification allows, and that older platforms don't support.

use super::model::Offering;
use crate::{schema::Kind, text::Message};

/// Implements `deny(lowercase_names)`: platforms up to 2.13 accept only names of lower-case letters, digits and
/// hyphens.
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
const fn lowercase(item: &str, name: &str) {
    let bytes = name.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if !matches!(bytes[i], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            Message::new("the name of ")
                .text(item)
                .text(" ")
                .name(name)
                .text(" contains characters other than lower-case letters, digits and hyphens, and platforms up to 2.13 may reject it (CAT-06): rename it")
                .panic();
        }
        i += 1;
    }
}

/// Implements `deny(one_way_changes)`: before 2.15 `plan_updateable` exists only for the whole offering.
#[track_caller]
pub const fn lint_one_way_changes(offering: &Offering) {
    let (mut changeable, mut fixed) = (None, None);
    let mut i = 0;
    while let Some(plan) = offering.plan_or_family(i) {
        if !plan.spec.retired {
            if plan.updateable {
                changeable = Some(plan.spec.name);
            } else {
                fixed = Some(plan.spec.name);
            }
        }
        i += 1;
    }
    if let (Some(changeable), Some(fixed)) = (changeable, fixed) {
        Message::new("plan ")
            .name(fixed)
            .text(" of ")
            .name(offering.name)
            .text(" can't be changed and ")
            .name(changeable)
            .text(" can, but before 2.15 `plan_updateable` applies to all plans (CAT-37); declare a change from ")
            .name(fixed)
            .text(", or no changes")
            .panic();
    }
}

/// Implements `deny(required_create_parameters)`: platforms before 2.5 can't send parameters.
#[track_caller]
pub const fn lint_required_parameters(offering: &Offering) {
    let mut i = 0;
    while let Some(plan) = offering.plan_or_family(i) {
        if let Some(create) = &plan.create
            && let Kind::Object(object) = &create.schema.kind
        {
            let mut j = 0;
            while j < object.properties.len() {
                if object.properties[j].required && !plan.spec.retired {
                    Message::new("plan ")
                        .name(plan.spec.name)
                        .text(" requires the parameter ")
                        .name(object.properties[j].name.get())
                        .text(", but platforms before 2.5 send no parameters; give it a default")
                        .panic();
                }
                j += 1;
            }
        }
        i += 1;
    }
}
