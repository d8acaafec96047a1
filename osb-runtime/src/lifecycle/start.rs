//! Before a broker starts: whether it can still serve what is in its records.

use crate::{
    catalog::{Offering, StartError},
    store::{Records, Use},
};

/// Checks that the broker still knows every plan in its records, because an instance of an unknown plan could not be
/// deleted, and that bindings in the records can still be unbound.
///
/// # Errors
///
/// With a problem for each plan that is missing or no longer bindable; or if the records can't be read.
pub async fn check_records(offerings: &[&Offering], records: &Records) -> Result<(), StartError> {
    let problems = match records.store().uses().await {
        Ok(uses) => uses.iter().filter_map(|one| problem(offerings, one)).collect(),
        Err(error) => vec![format!("the records can't be held against the catalog: {error}")],
    };
    if problems.is_empty() { Ok(()) } else { Err(StartError::new(problems)) }
}

fn problem(offerings: &[&Offering], found: &Use) -> Option<String> {
    let Use { service_id, plan_id, .. } = found;
    let offering = offerings.iter().find(|offering| offering.id == service_id);
    let plan = offering.and_then(|offering| offering.plan(plan_id));
    let elsewhere = || offerings.iter().find(|offering| offering.plan(plan_id).is_some());
    let what = what(found);
    Some(match (offering, plan) {
        (Some(offering), Some(plan)) if !plan.spec.bindable && found.bindings > 0 => format!(
            "the records have {} of plan {:?} ({plan_id}) of service {:?}, which is no longer bindable, so that nothing \
             could unbind them; make it bindable again, which a `retired` plan can be too, or delete them with the \
             release that could",
            count(found.bindings, "binding"),
            plan.spec.name,
            offering.name
        ),
        (Some(_), Some(_)) => return None,
        (Some(offering), None) => format!(
            "the records have {what} of plan {plan_id} of service {:?}, which does not have it any more; bring the plan \
             back, as `retired` if it is not to be sold, or delete them with the release that knew it",
            offering.name
        ),
        (None, _) => {
            let moved = elsewhere().map(|to| format!(" (the plan is now one of service {:?})", to.name));
            format!(
                "the records have {what} of plan {plan_id} of service {service_id}, which the broker does not have any \
                 more{}; bring both back, or delete them with the release that knew them",
                moved.unwrap_or_default()
            )
        }
    })
}

fn what(found: &Use) -> String {
    match (found.instances, found.bindings) {
        (instances, 0) => count(instances, "instance"),
        (0, bindings) => count(bindings, "binding"),
        (instances, bindings) => format!("{} and {}", count(instances, "instance"), count(bindings, "binding")),
    }
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
