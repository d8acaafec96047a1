//! Validation of the records against the catalog, before a broker starts.

use crate::{
    catalog::{Offering, StartError},
    store::{PlanUsage, Records},
};

/// Checks that the broker still knows every plan in its records, because an instance of an unknown plan could not be
/// deleted, and that bindings in the records can still be unbound.
///
/// # Errors
///
/// If a plan of the records is missing or no longer bindable, with one problem for each; or, as a
/// [temporary](StartError::is_temporary) error, if the records can't be read.
pub async fn check_records(offerings: &[&Offering], records: &Records) -> Result<(), StartError> {
    let broken = |error| StartError::temporary(format!("the records can't be compared with the catalog: {error}"));
    let uses = records.store().plan_usage().await.map_err(broken)?;
    let problems: Vec<_> = uses.iter().filter_map(|one| problem(offerings, one)).collect();
    if problems.is_empty() { Ok(()) } else { Err(StartError::new(problems)) }
}

fn problem(offerings: &[&Offering], found: &PlanUsage) -> Option<String> {
    let PlanUsage { service_id, plan_id, .. } = found;
    let offering = offerings.iter().find(|offering| offering.id == service_id);
    let plan = offering.and_then(|offering| offering.plan(plan_id));
    let elsewhere = || offerings.iter().find(|offering| offering.plan(plan_id).is_some());
    let usage = usage(found);
    Some(match (offering, plan) {
        (Some(offering), Some(plan)) if !plan.spec.bindable && found.bindings > 0 => format!(
            "the records have {} of plan {:?} ({plan_id}) of service {:?}, which isn't bindable in this release, so \
             they could not be unbound; make the plan bindable (a `retired` plan can be), or unbind them with a release in \
             which it is",
            count(found.bindings, "binding"),
            plan.spec.name,
            offering.name
        ),
        (Some(_), Some(_)) => return None,
        (Some(offering), None) => format!(
            "the records have {usage} of plan {plan_id}, which service {:?} doesn't have in this release; {}, or delete \
             them with a release that has it",
            offering.name,
            if offering.families.is_empty() {
                "restore the plan (`retired` accepts no new instances)"
            } else {
                "restore the plan, in the file of catalog overrides (`hidden = true` accepts no new instances) or in the \
                 program (`retired`)"
            }
        ),
        (None, _) => {
            let moved = elsewhere().map(|to| format!(" (the plan is now one of service {:?})", to.name));
            format!(
                "the records have {usage} of plan {plan_id} of service {service_id}, which this release doesn't \
                 have{}; restore both, or delete them with a release that has them; if they are of another broker, give \
                 this one a store or a schema of its own",
                moved.unwrap_or_default()
            )
        }
    })
}

fn usage(found: &PlanUsage) -> String {
    match (found.instances, found.bindings) {
        (instances, 0) => count(instances, "instance"),
        (0, bindings) => count(bindings, "binding"),
        (instances, bindings) => format!("{} and {}", count(instances, "instance"), count(bindings, "binding")),
    }
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
