//! Validation of the records against the catalog and the types of this release, before a broker starts.

use super::stored::UnreadableValues;
use crate::{
    catalog::{Offering, StartError},
    store::{Pages, PlanUsage, Records},
};

/// Reads all records, and checks that the broker still knows every plan in them, because an instance of an unknown plan could not
/// be deleted; that their bindings can still be unbound; and that its types can decode the stored states and parameters. If
/// `lenient`, those that can't be decoded are only logged.
///
/// # Errors
///
/// If a plan of the records is missing or no longer bindable, with one problem for each, or states or parameters can't be decoded,
/// with one problem for each plan and reason; or, as a [temporary](StartError::is_temporary) error, if the records can't be read.
pub async fn check_records(offerings: &[&Offering], records: &Records, lenient: bool) -> Result<(), StartError> {
    let (mut uses, mut unreadable) = (Vec::new(), UnreadableValues::default());
    let mut pages = Pages::of(records.store());
    let broken = |error| StartError::temporary(format!("the records can't be read: {error}"));
    while let Some(page) = pages.next().await.map_err(broken)? {
        uses = PlanUsage::sum(uses.into_iter().chain(page.iter().flat_map(|(_, record)| record.plan_usage())));
        for (key, record) in &page {
            unreadable.add(offerings, key, record);
        }
    }
    let mut problems: Vec<_> = uses.iter().filter_map(|one| problem(offerings, one)).collect();
    let unreadable = unreadable.into_problems();
    if lenient {
        unreadable.for_each(|problem| tracing::warn!("{problem}"));
    } else {
        problems.extend(unreadable);
    }
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
    let counts =
        [(found.instances, "instance"), (found.bindings, "binding")].into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(number, noun)| count(number, noun)).collect::<Vec<_>>().join(" and ")
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
