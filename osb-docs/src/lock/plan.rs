//! Compares two releases of a plan.

use super::{
    ChangeKind, Difference,
    compare::of_plan,
    credentials,
    members::{Plan, Service},
    parameters::{self, Found},
    tree::{Schema, Type},
};

/// Returns all changes of a plan.
pub(super) fn compare((service, was): (&Service, &Plan), (new_service, is): (&Service, &Plan)) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut push = |change, before: &str, now: &str| found.push(of_plan(service, was, change, before, now));
    if was.name != is.name {
        if service.plans.iter().any(|other| other.name == is.name) {
            push(ChangeKind::IdReused, &format!("plan {}", was.name), &format!("plan {}", is.name));
            // The name now belongs to a different plan; further differences mean nothing.
            return found;
        }
        push(ChangeKind::PlanRenamed, &was.name, &is.name);
    }
    for (change, before, now) in was.changes(is) {
        // Without bindings there are none to rotate.
        if change != ChangeKind::RotationWithdrawn || is.bindable {
            push(change, &before, &now);
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
    (service, was): (&Service, &Plan),
    (new_service, is): (&Service, &Plan),
    push: &mut impl FnMut(ChangeKind, &str, &str),
) {
    let id = |service: &Service, name: &String| {
        service.plans.iter().find(|plan| plan.name == *name).map(|plan| plan.id.clone())
    };
    let leads_to = |service: &Service, plan: &Plan, to: &str| {
        plan.changes_to.iter().any(|name| id(service, name).is_some_and(|id| id == to))
    };
    for name in &was.changes_to {
        let Some(target) = id(service, name) else { continue };
        // The removal of the target is reported at the target.
        let Some(target) = new_service.plans.iter().find(|plan| plan.id == target) else { continue };
        if !leads_to(new_service, is, &target.id) {
            push(
                if target.retired { ChangeKind::ChangeEndedByRetirement } else { ChangeKind::ChangeWithdrawn },
                name,
                "",
            );
        }
    }
    for name in &is.changes_to {
        if id(new_service, name).is_some_and(|target| !leads_to(service, was, &target)) {
            push(ChangeKind::ChangeAdded, "", name);
        }
    }
}

/// A change that occurs in one or more schemas of a plan.
struct InSchemas {
    schemas: Vec<&'static str>,
    found: Found,
}

fn all_schemas(was: &Plan, is: &Plan) -> Vec<InSchemas> {
    // An operation without parameters takes an empty object.
    let nothing = Schema::of(Type::Object);
    let or_nothing = |schema: &'_ Option<Schema>| schema.clone().unwrap_or_else(|| nothing.clone());
    let [was_create, is_create] = [&was.create, &is.create].map(or_nothing);
    let mut all: Vec<InSchemas> = Vec::new();
    let bind = [("bind", &was.bind, &is.bind)];
    // Unless the plan is bindable in both releases, there are no binding parameters to compare.
    let bind = bind.into_iter().filter(|_| was.bindable && is.bindable);
    let instance = [("create", &was.create, &is.create), ("update", &was.update, &is.update)];
    for (operation, old, new) in instance.into_iter().chain(bind) {
        let (old, new) = (or_nothing(old), or_nothing(new));
        for mut found in parameters::compare(&old, &new) {
            // Immutable properties are absent from the update schema, so a change of `immutable` shows as a missing or an
            // added property.
            let immutable =
                |create: &Schema| parameters::at(create, &found.pointer).is_some_and(|found| found.immutable);
            found.change = match found.change {
                ChangeKind::PropertyRemoved if operation == "update" && immutable(&is_create) => {
                    ChangeKind::ImmutableAdded
                }
                ChangeKind::PropertyAdded if operation == "update" && immutable(&was_create) => {
                    ChangeKind::ImmutableDropped
                }
                change => change,
            };
            match all.iter_mut().find(|other| other.found == found) {
                Some(other) => other.schemas.push(operation),
                None => all.push(InSchemas { schemas: vec![operation], found }),
            }
        }
    }
    if was.bindable && is.bindable {
        let [old, new] = [&was.credentials, &is.credentials].map(or_nothing);
        let found = credentials::compare(&old, &new).into_iter();
        all.extend(found.map(|found| InSchemas { schemas: vec!["credentials"], found }));
    }
    all
}
