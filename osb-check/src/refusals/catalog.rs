//! Catalogs that Cloud Foundry's Cloud Controller refuses.

use std::{fmt::Display, sync::LazyLock};

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

use crate::judge::{Breach, list};

/// The metaschema of draft-04. The Cloud Controller's library does not validate its formats, so that a pattern can have any
/// dialect.
static METASCHEMA: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let metaschema = json!({ "$ref": "http://json-schema.org/draft-04/schema#" });
    jsonschema::options().with_draft(Draft::Draft4).should_validate_formats(false).build(&metaschema).ok()
});

/// Returns the reasons for which Cloud Foundry refuses a catalog.
pub(crate) fn of_catalog(catalog: &Value) -> Vec<Breach> {
    let services = list(&catalog["services"]);
    let mut found = Vec::new();
    if services.is_empty() {
        found.push(Breach::new("CF-01", "the catalog has no service").at("/services"));
    }
    let (mut clients, mut identified) = (Vec::new(), Vec::new());
    for (number, service) in services.iter().enumerate() {
        found.extend(of_service(service, format!("/services/{number}"), &mut clients));
        let plans = list(&service["plans"]);
        for (index, plan) in plans.iter().enumerate() {
            let at = format!("/services/{number}/plans/{index}");
            found.extend(of_plan(plan, at, &plans[..index], &mut identified));
        }
    }
    found
}

/// Returns the same for a service without its plans. `clients` are the ids of the dashboard clients before it.
fn of_service<'c>(service: &'c Value, at: String, clients: &mut Vec<&'c Value>) -> Vec<Breach> {
    let mut refused = Refused::new("service", service, at);
    refused.texts();
    let tags = &service["tags"];
    let length: usize = list(tags).iter().filter_map(Value::as_str).map(|tag| tag.chars().count()).sum();
    if service.get("tags").is_some_and(|tags| !tags.is_array()) {
        refused.member("CF-03", "tags", "is not a list");
    } else if length > 2_048 {
        refused.member("CF-03", "tags", format_args!("has {length} characters"));
    }
    if service.get("requires").is_some_and(|requires| !requires.is_array()) {
        refused.member("CF-04", "requires", "is not a list");
    }
    let client = &service["dashboard_client"];
    if client.is_object() {
        for name in ["id", "secret", "redirect_uri"] {
            let is_blank = match client[name].as_str() {
                Some(text) => text.trim().is_empty(),
                // Without an id or a secret, it breaks a rule of the specification.
                None => name == "redirect_uri",
            };
            if is_blank {
                refused.member("CF-05", "dashboard_client", format_args!("has no {name}"));
            }
        }
        if clients.contains(&&client["id"]) {
            refused.member("CF-05", "dashboard_client", "has the id of another one");
        }
        clients.push(&client["id"]);
    }
    if let Some(shareable) = service["metadata"].get("shareable").filter(|shareable| !shareable.is_boolean()) {
        refused.member("CF-06", "metadata/shareable", format_args!("is {shareable}"));
    }
    for flag in ["instances_retrievable", "bindings_retrievable", "allow_context_updates"] {
        if service.get(flag).is_some_and(Value::is_null) {
            refused.member("CF-21", flag, "is null");
        }
    }
    refused.breaches
}

/// Returns the same for a plan. `others` are the plans of its service before it, and `identified` all schemas with an id.
fn of_plan<'c>(plan: &'c Value, at: String, others: &[Value], identified: &mut Vec<&'c Value>) -> Vec<Breach> {
    let mut refused = Refused::new("plan", plan, at);
    refused.texts();
    let differs_in_case = |other: &Value| match (plan["name"].as_str(), other["name"].as_str()) {
        (Some(name), Some(other)) => name != other && name.eq_ignore_ascii_case(other),
        _ => false,
    };
    if others.iter().any(differs_in_case) {
        refused.member("CF-21", "name", "differs only in case from that of another plan");
    }
    if let Some(maintenance) = plan["maintenance_info"].as_object() {
        let unknown = maintenance.keys().filter(|key| !["version", "description"].contains(&key.as_str()));
        let unknown: Vec<_> = unknown.map(|key| format!("`{key}`")).collect();
        if !unknown.is_empty() {
            refused.member("CF-07", "maintenance_info", format_args!("has {}", unknown.join(", ")));
        }
        let length = length_in_rails(&plan["maintenance_info"]);
        if length > 2_000 {
            refused.member("CF-07", "maintenance_info", format_args!("has {length} characters"));
        }
    }
    // Cloud Foundry reads a number with a fraction or an exponent as a decimal.
    if let Value::Number(longest) = &plan["maximum_polling_duration"]
        && (longest.is_f64() || longest.as_u64().is_some_and(|longest| longest < 60))
    {
        refused.member("CF-09", "maximum_polling_duration", format_args!("is {longest}"));
    }
    if plan["maximum_polling_duration"].as_u64().is_some_and(|longest| i32::try_from(longest).is_err()) {
        refused.member("CF-21", "maximum_polling_duration", "has more than 32 bits");
    }
    for place in ["service_instance/create", "service_instance/update", "service_binding/create"] {
        let member = format!("schemas/{place}/parameters");
        if let Some(schema) = plan.pointer(&format!("/{member}")).filter(|schema| schema.is_object()) {
            of_schema(schema, &member, &mut refused, identified);
        }
    }
    refused.breaches
}

fn of_schema<'c>(schema: &'c Value, member: &str, refused: &mut Refused<'_>, identified: &mut Vec<&'c Value>) {
    if let Some(id) = schema["id"].as_str().filter(|id| !id.is_empty() && !id.starts_with('#')) {
        let has_references = |schema: &Value| schema.to_string().contains("\"$ref\"");
        if identified.iter().any(|other| other["id"] == id && *other != schema) && has_references(schema) {
            refused.member("CF-20", member, format_args!("has the `id` {id:?} of another schema"));
        }
        identified.push(schema);
    }
    let is_known = |dialect: &str| {
        let known = ["03", "04", "06"].map(|draft| format!("http://json-schema.org/draft-{draft}/schema"));
        known.iter().any(|known| known == dialect.trim_end_matches('#'))
    };
    match schema.get("$schema") {
        None => refused.member("CF-08", member, "has no `$schema`"),
        Some(dialect) if !dialect.as_str().is_some_and(is_known) => {
            refused.member("CF-08", member, format_args!("has the `$schema` {dialect}"));
        }
        Some(_) => {
            if let Some(Err(error)) = METASCHEMA.as_ref().map(|metaschema| metaschema.validate(schema)) {
                refused.member("CF-08", member, format_args!("is not valid: {error}"));
            }
        }
    }
}

/// The reasons for which Cloud Foundry refuses a service or a plan.
struct Refused<'c> {
    kind: &'static str,
    object: &'c Value,
    /// Its place in the catalog.
    at: String,
    breaches: Vec<Breach>,
}

impl<'c> Refused<'c> {
    fn new(kind: &'static str, object: &'c Value, at: String) -> Self {
        Self { kind, object, at, breaches: Vec::new() }
    }

    fn member(&mut self, rule: &'static str, member: &str, why: impl Display) {
        let what = format!("`{member}` of {} {} {why}", self.kind, self.object["name"]);
        self.breaches.push(Breach::new(rule, what).at(format!("{}/{member}", self.at)));
    }

    fn texts(&mut self) {
        for member in ["id", "name", "description"] {
            let text = self.object[member].as_str().unwrap_or_default();
            let length = text.chars().count();
            if length > 0 && text.trim().is_empty() {
                self.member("CF-02", member, "is blank");
            } else if member == "description" && length > 10_000 {
                self.member("CF-02", member, format_args!("has {length} characters"));
            }
        }
    }
}

/// Returns the number of characters as Rails writes JSON, with `<` as `\u003c`.
fn length_in_rails(value: &Value) -> usize {
    let escaped = |c: char| if matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}') { 6 } else { 1 };
    value.to_string().chars().map(escaped).sum()
}
