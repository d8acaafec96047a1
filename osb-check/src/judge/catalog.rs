//! Constraints on catalogs that a JSON Schema cannot express.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::{Breach, list};
use crate::{
    refusals::{of_catalog, refusal},
    report::{Severity, severity},
    rules,
};

/// Pointers to the parameter schemas in a plan's `schemas`.
const SCHEMAS: [&str; 3] = ["/service_instance/create", "/service_instance/update", "/service_binding/create"];

/// The recommended maximum length of a string in characters.
const LONGEST: usize = 255;

/// A problem in a catalog.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CatalogFinding {
    /// The JSON pointer of the place in the catalog.
    pub pointer: String,
    /// The id of the [rule](crate::rules), or of a platform's own rule, such as `CF-05`.
    pub rule: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The problem.
    pub what: String,
    /// The text of the rule.
    pub text: &'static str,
}

/// Returns the violations of the specification in a catalog, and what Cloud Foundry refuses although the specification allows
/// it.
///
/// ```
/// let catalog = serde_json::json!({ "services": [{ "name": "kv" }] });
/// let found = osb_check::judge::catalog_findings(&catalog);
/// assert!(found.iter().any(|finding| finding.rule == "CAT-11" && finding.pointer == "/services/0"), "{found:?}");
/// ```
pub fn catalog_findings(catalog: &Value) -> Vec<CatalogFinding> {
    let mut found = super::SCHEMAS.breaches("Catalog", catalog, "CAT-01");
    found.extend(breaches(catalog));
    found.extend(of_catalog(catalog));
    let mut findings: Vec<CatalogFinding> = Vec::new();
    for breach in found {
        let (severity, text) = match (rules::rule(breach.rule), refusal(breach.rule)) {
            (Some(rule), _) => (severity(rule.level), rule.text),
            (None, refusal) => (Severity::Error, refusal.map_or("", |refusal| refusal.text)),
        };
        let Breach { pointer, rule, what, .. } = breach;
        let what = what.strip_prefix(&format!("`{pointer}`: ")).unwrap_or(&what).to_owned();
        let finding = CatalogFinding { pointer, rule, severity, what, text };
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings.sort_by(|one, other| (&one.pointer, one.severity).cmp(&(&other.pointer, other.severity)));
    findings
}

/// Returns violations in a catalog, apart from its shape.
pub(super) fn breaches(catalog: &Value) -> Vec<Breach> {
    let services = list(&catalog["services"]);
    let mut found = Vec::new();
    let mut names = Seen::new("CAT-10", "name");
    let (mut ids, mut plan_ids) = (Seen::new("CAT-11", "id"), Seen::new("CAT-30", "id"));
    for (number, service) in services.iter().enumerate() {
        let at = format!("/services/{number}");
        found.extend([names.again(service, &at), ids.again(service, &at)].into_iter().flatten());
        found.extend(recommended(service, &at));
        let mut plan_names = Seen::new("CAT-31", "name");
        for (number, plan) in list(&service["plans"]).iter().enumerate() {
            let at = format!("{at}/plans/{number}");
            found.extend([plan_ids.again(plan, &at), plan_names.again(plan, &at)].into_iter().flatten());
            found.extend(recommended(plan, &at));
            found.extend(of_schemas(plan, &at));
        }
    }
    found
}

/// Values that have to be unique.
struct Seen<'a> {
    rule: &'static str,
    name: &'static str,
    values: BTreeSet<&'a str>,
}

impl<'a> Seen<'a> {
    fn new(rule: &'static str, name: &'static str) -> Self {
        Self { rule, name, values: BTreeSet::new() }
    }

    /// Returns a violation if the value occurred before. Missing values violate other rules.
    fn again(&mut self, one: &'a Value, at: &str) -> Option<Breach> {
        let value = one[self.name].as_str()?;
        let again = !self.values.insert(value);
        again.then(|| {
            Breach::new(self.rule, format!("{value:?} occurs more than once")).at(format!("{at}/{}", self.name))
        })
    }
}

fn of_schemas(plan: &Value, at: &str) -> Vec<Breach> {
    let mut found = Vec::new();
    for place in SCHEMAS {
        let parameters = plan["schemas"].pointer(&format!("{place}/parameters")).filter(|schema| schema.is_object());
        let wrong = parameters.map(wrong_schema).unwrap_or_default();
        found.extend(wrong.into_iter().map(|breach| {
            let what = format!("{place} of plan {}: {}", plan["name"], breach.what);
            Breach { what, ..breach }.at(format!("{at}/schemas{place}/parameters"))
        }));
    }
    found
}

/// Checks the recommendations for services and plans.
fn recommended(one: &Value, at: &str) -> Vec<Breach> {
    let mut found = Vec::new();
    let text = |name: &str| one[name].as_str().unwrap_or_default();
    let is_made_of = |text: &str, more: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c));
    let (name, id) = (text("name"), text("id"));
    if !is_made_of(name, ".-") {
        found.push(
            Breach::new("CAT-06", format!("{name:?} has characters other than letters, digits, `.` and `-`"))
                .at(format!("{at}/name")),
        );
    }
    if !is_made_of(id, "-._~") {
        found.push(
            Breach::new("URL-02", format!("the id {id:?} has characters that must be encoded in URLs"))
                .at(format!("{at}/id")),
        );
    }
    for field in ["name", "id", "description"] {
        let length = text(field).chars().count();
        if length > LONGEST {
            found.push(
                Breach::new("CAT-04", format!("the {field} of {name:?} has {length} characters"))
                    .at(format!("{at}/{field}")),
            );
        }
    }
    found
}

/// Dialects other than draft-04 and its relatives, which platforms need not support, but brokers may use (CAT-54).
const LATER_DIALECTS: [&str; 4] = ["draft-06", "draft-07", "draft/2019-09", "draft/2020-12"];

/// Returns violations in a parameter schema, which has to conform to its own dialect.
fn wrong_schema(schema: &Value) -> Vec<Breach> {
    let problems = osb_runtime::schema::schema_problems(&schema.clone().into());
    let mut found: Vec<_> =
        problems.into_iter().map(|problem| Breach::new(problem.rule, problem.to_string())).collect();
    let dialect = schema["$schema"].as_str().unwrap_or_default();
    if LATER_DIALECTS.iter().any(|later| dialect.contains(later)) {
        found.retain(|breach| breach.rule != "CAT-54");
        let invalid = jsonschema::meta::validate(schema).err();
        found.extend(invalid.map(|error| Breach::new("CAT-50", format!("not a valid schema: {error}"))));
    }
    found
}
