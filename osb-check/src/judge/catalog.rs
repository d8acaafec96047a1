//! Constraints on catalogs that a JSON Schema cannot express.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Breach, list};

/// Pointers to the parameter schemas in a plan's `schemas`.
const SCHEMAS: [&str; 3] = ["/service_instance/create", "/service_instance/update", "/service_binding/create"];

/// The recommended maximum length of a string in characters.
const LONGEST: usize = 255;

/// Returns violations in a catalog, apart from its shape.
pub(super) fn breaches(catalog: &Value) -> Vec<Breach> {
    let services = list(&catalog["services"]);
    let plans: Vec<_> = services.iter().flat_map(|service| list(&service["plans"])).collect();
    let of_services = |name: &str| services.iter().map(|service| &service[name]).collect::<Vec<_>>();
    let mut found = Vec::from_iter(twice(of_services("name"), "CAT-10"));
    found.extend(twice(of_services("id"), "CAT-11"));
    found.extend(twice(plans.iter().map(|plan| &plan["id"]), "CAT-30"));
    for service in services {
        found.extend(twice(list(&service["plans"]).iter().map(|plan| &plan["name"]), "CAT-31"));
    }
    for one in services.iter().chain(plans.iter().copied()) {
        found.extend(recommended(one));
    }
    for plan in plans {
        for at in SCHEMAS {
            let parameters = plan["schemas"].pointer(&format!("{at}/parameters")).filter(|schema| schema.is_object());
            let wrong = parameters.map(wrong_schema).unwrap_or_default();
            found.extend(wrong.into_iter().map(|breach| {
                let what = format!("{at} of plan {}: {}", plan["name"], breach.what);
                Breach { what, ..breach }
            }));
        }
    }
    found
}

/// Returns a violation if a value occurs more than once. Missing values violate other rules.
pub fn twice<'a>(values: impl IntoIterator<Item = &'a Value>, rule: &'static str) -> Option<Breach> {
    let mut seen = BTreeSet::new();
    let mut given = values.into_iter().filter(|value| !value.is_null());
    let again = given.find(|value| !seen.insert(value.to_string()))?;
    Some(Breach::new(rule, format!("{again} occurs more than once")))
}

/// Checks the recommendations for services and plans.
fn recommended(one: &Value) -> Vec<Breach> {
    let mut found = Vec::new();
    let text = |name: &str| one[name].as_str().unwrap_or_default();
    let is_made_of = |text: &str, more: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
    let (name, id) = (text("name"), text("id"));
    if !is_made_of(name, ".-") {
        found.push(Breach::new("CAT-06", format!("{name:?} has characters other than letters, digits, `.` and `-`")));
    }
    if !is_made_of(id, "-._~") {
        found.push(Breach::new("URL-02", format!("the id {id:?} has characters that must be encoded in URLs")));
    }
    for field in ["name", "id", "description"] {
        let length = text(field).chars().count();
        if length > LONGEST {
            found.push(Breach::new("CAT-04", format!("the {field} of {name:?} has {length} characters")));
        }
    }
    found
}

/// Dialects other than draft-04 and its relatives, which platforms need not support, but brokers may use (CAT-54).
const LATER_DIALECTS: [&str; 3] = ["draft-07", "draft/2019-09", "draft/2020-12"];

/// Returns violations in a parameter schema, which has to conform to its own dialect.
fn wrong_schema(schema: &Value) -> Vec<Breach> {
    let mut found = wrong_parameters(schema);
    let dialect = schema["$schema"].as_str().unwrap_or_default();
    if LATER_DIALECTS.iter().any(|later| dialect.contains(later)) {
        found.retain(|breach| breach.rule != "CAT-54");
        let invalid = jsonschema::meta::validate(schema).err();
        found.extend(invalid.map(|error| Breach::new("CAT-50", format!("not a valid schema: {error}"))));
    }
    found
}

/// Returns violations in a parameter schema, apart from its shape.
pub fn wrong_parameters(schema: &Value) -> Vec<Breach> {
    let flaws = osb_runtime::schema::flaws(&schema.clone().into());
    flaws.into_iter().map(|flaw| Breach::new(flaw.rule, flaw.to_string())).collect()
}
