//! Looks up services, plans and schemas by name.

use super::{Failure, cli::SchemaKind, overview::one_line};
use osb_docs::pretty;
use osb_runtime::{
    catalog::{Offering, PlanInfo},
    schema::fill_foreign,
};

/// Returns the schema, indented.
pub(super) fn schema(
    offerings: &[&Offering],
    service: &str,
    plan: &str,
    operation: SchemaKind,
) -> Result<String, Failure> {
    let offering = find(offerings, of_service, "service", service, "")?;
    let plan = find(offering.plans, of_plan, "plan", plan, &format!(" of service {}", offering.name))?;
    let (parameters, what) = match operation {
        SchemaKind::Create => (plan.create, "a new instance takes"),
        SchemaKind::Update => (plan.update, "an update takes"),
        SchemaKind::Bind if plan.spec.bindable => (plan.bind, "a binding takes"),
        SchemaKind::Bind => {
            return Err(Failure::Usage(format!("no such schema: plan {} is not bindable", plan.spec.name)));
        }
    };
    let parameters = parameters
        .ok_or_else(|| Failure::Usage(format!("no such schema: {what} no parameters in plan {}", plan.spec.name)))?;
    let json = match parameters.json {
        // Dynamic schemas exist only at run time.
        [] => fill_foreign(parameters.schema).to_string(),
        json => String::from_utf8_lossy(json).into_owned(),
    };
    Ok(pretty(&json))
}

/// Checks that the catalog has a service, and a plan of it or of any service.
pub(super) fn known(offerings: &[&Offering], service: Option<&str>, plan: Option<&str>) -> Result<(), Failure> {
    let among = match service {
        Some(service) => vec![*find(offerings, of_service, "service", service, "")?],
        None => offerings.to_vec(),
    };
    let plans = among.iter().flat_map(|offering| offering.plans);
    plan.map_or(Ok(()), |plan| find(plans, of_plan, "plan", plan, "").map(drop))
}

fn of_service<'a>(offering: &'a &Offering) -> [&'a str; 2] {
    [offering.name, offering.id]
}

fn of_plan(plan: &PlanInfo) -> [&str; 2] {
    [plan.spec.name, plan.spec.id]
}

/// Finds a thing by one of its names, the first of which a message lists. `what` it is, and `of` what, is for the message.
pub(super) fn find<'a, T>(
    all: impl IntoIterator<Item = &'a T, IntoIter: Clone>,
    names: impl Fn(&'a T) -> [&'a str; 2],
    what: &str,
    wanted: &str,
    of: &str,
) -> Result<&'a T, Failure> {
    let mut all = all.into_iter();
    let known: Vec<&str> = all.clone().map(|one| names(one)[0]).collect();
    all.find(|one| names(one).contains(&wanted)).ok_or_else(|| {
        let near = did_you_mean(&known, wanted);
        let listed = one_line(&known.join(", "));
        Failure::Usage(format!("unknown {what} {wanted:?}{}; known: {listed}{near}", one_line(of)))
    })
}

/// Suggests the known name that is most similar.
pub(super) fn did_you_mean(known: &[&str], wanted: &str) -> String {
    nearest(known, wanted).map(|near| format!("\n  did you mean {}?", one_line(near))).unwrap_or_default()
}

/// Returns the known name that is most similar to a misspelt one.
pub(super) fn nearest<'a>(known: &[&'a str], wanted: &str) -> Option<&'a str> {
    let distance = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &wanted.to_lowercase());
    let near = known.iter().map(|name| (*name, distance(name))).filter(|(_, likeness)| *likeness > 0.7);
    near.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{BARE, KV};

    fn look_up(service: &str, plan: &str, operation: SchemaKind) -> Result<String, String> {
        schema(&[&KV, &BARE], service, plan, operation).map_err(|failure| failure.to_string())
    }

    #[test]
    fn names_and_ids_are_accepted() {
        let by_name = look_up("kv", "free", SchemaKind::Create).expect("a schema");
        assert_eq!(by_name, "{\n  \"type\": \"object\"\n}\n");
        assert_eq!(look_up(KV.id, KV.plans[0].spec.id, SchemaKind::Create).expect("a schema"), by_name);
    }

    #[test]
    fn errors_list_the_known_names() {
        let error = look_up("kvv", "free", SchemaKind::Create).expect_err("no such service");
        assert_eq!(error, "unknown service \"kvv\"; known: kv, bare\n  did you mean kv?");
        let error = look_up("kv", "professional", SchemaKind::Create).expect_err("no such plan");
        assert_eq!(error, "unknown plan \"professional\" of service kv; known: free, pro, old\n  did you mean pro?");
        let error = look_up("kv", "zzz", SchemaKind::Create).expect_err("no such plan");
        assert_eq!(error, "unknown plan \"zzz\" of service kv; known: free, pro, old");
        let error = look_up("kv", "free", SchemaKind::Update).expect_err("no such schema");
        assert_eq!(error, "no such schema: an update takes no parameters in plan free");
        let error = look_up("bare", "p", SchemaKind::Bind).expect_err("not bindable");
        assert_eq!(error, "no such schema: plan only plan's is not bindable");
    }
}
