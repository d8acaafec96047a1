//! Compares two releases of a plan.

use super::{
    ChangeKind, Difference,
    compare::of_plan,
    schema::{Found, at, compare_members, compare_schemas},
    tree::{Scope, id, is_set, list, name},
};
use osb_runtime::json::{Json, json};

/// Returns all changes of a plan.
pub(super) fn compare_plans((service, was): (&Json, &Json), (new_service, is): (&Json, &Json)) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut push = |change, before: &str, now: &str| found.push(of_plan(service, was, change, before, now));
    if name(was) != name(is) {
        if list(service, "plans").iter().any(|other| name(other) == name(is)) {
            push(ChangeKind::IdReused, &format!("plan {}", name(was)), &format!("plan {}", name(is)));
            // The name now belongs to a different plan; further differences mean nothing.
            return found;
        }
        push(ChangeKind::PlanRenamed, name(was), name(is));
    }
    for one in compare_members(Scope::Plan, was, is) {
        // Without bindings there are none to rotate.
        if one.change != ChangeKind::RotationWithdrawn || is_set(is, "bindable") {
            push(one.change, &one.was, &one.is);
        }
    }
    changes_of_plan((service, was), (new_service, is), &mut push);
    for one in all_schemas(was, is) {
        found.push(Difference {
            schemas: one.schemas,
            pointer: one.found.pointer,
            ..of_plan(service, was, one.found.change, &one.found.was, &one.found.is)
        });
    }
    found
}

/// Compares the plans to which the plan can be changed. They are matched by id, as their names may have changed.
fn changes_of_plan(
    (service, was): (&Json, &Json),
    (new_service, is): (&Json, &Json),
    push: &mut impl FnMut(ChangeKind, &str, &str),
) {
    let (old, new) = (targets(service, was), targets(new_service, is));
    let reaches = |targets: &[&Json], to: &Json| targets.iter().any(|target| id(target) == id(to));
    for was in old.iter().filter(|was| !reaches(&new, was)) {
        // The removal of the target is reported at the target.
        let Some(is) = list(new_service, "plans").iter().find(|is| id(is) == id(was)) else { continue };
        let is_retired = is_set(is, "retired");
        let change = if is_retired { ChangeKind::ChangeEndedByRetirement } else { ChangeKind::ChangeWithdrawn };
        push(change, name(was), "");
    }
    for is in new.iter().filter(|is| !reaches(&old, is)) {
        push(ChangeKind::ChangeAdded, "", name(is));
    }
}

fn targets<'a>(service: &'a Json, plan: &Json) -> Vec<&'a Json> {
    let named = |to: &Json| list(service, "plans").iter().find(|plan| to.as_str() == Some(name(plan)));
    list(plan, "changes_to").iter().filter_map(named).collect()
}

/// The member for the values of a family.
pub(super) const FAMILY: &str = "family";

/// A change that occurs in one or more schemas of a plan.
struct InSchemas {
    schemas: Vec<&'static str>,
    found: Found,
}

fn all_schemas(was: &Json, is: &Json) -> Vec<InSchemas> {
    // An operation without parameters takes an empty object.
    let nothing = json!({ "type": "object" });
    let schema = |plan: &'_ Json, operation| plan.get(operation).unwrap_or(&nothing).clone();
    let [was_create, is_create] = [was, is].map(|plan| schema(plan, "create"));
    let mut all: Vec<InSchemas> = Vec::new();
    // Unless the plan is bindable in both releases, there are no binding parameters and credentials to compare.
    let bindable = is_set(was, "bindable") && is_set(is, "bindable");
    let operations = [FAMILY, "create", "update", "bind"];
    for operation in &operations[..if bindable { 4 } else { 3 }] {
        for mut found in compare_schemas(Scope::Parameter, &schema(was, operation), &schema(is, operation)) {
            // Immutable properties are absent from the update schema, so a change of `immutable` shows as a missing or an
            // added property.
            let immutable =
                |create: &Json| at(create, &found.pointer).is_some_and(|property| is_set(property, "immutable"));
            found.change = match found.change {
                ChangeKind::PropertyRemoved if *operation == "update" && immutable(&is_create) => {
                    ChangeKind::ImmutableAdded
                }
                ChangeKind::PropertyAdded if *operation == "update" && immutable(&was_create) => {
                    ChangeKind::ImmutableDropped
                }
                change => change,
            };
            match all.iter_mut().find(|other| other.found == found && other.schemas != [FAMILY]) {
                Some(other) => other.schemas.push(operation),
                None => all.push(InSchemas { schemas: vec![operation], found }),
            }
        }
    }
    if bindable {
        let found = compare_schemas(Scope::Credential, &schema(was, "credentials"), &schema(is, "credentials"));
        all.extend(found.into_iter().map(|found| InSchemas { schemas: vec!["credentials"], found }));
    }
    all
}
