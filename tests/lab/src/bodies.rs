//! What the bodies of answers may be: the schemas of `schemas/messages.json`, and what no schema can say.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use jsonschema::Validator;
use serde_json::{Value, json};

/// The schemas of the messages. A `$comment` says the rules of what is around it.
pub static SCHEMAS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../schemas/messages.json")).expect("the schemas are JSON"));

static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let names = SCHEMAS["$defs"].as_object().expect("definitions").keys();
    names
        .map(|name| {
            let schema = json!({
                "$schema": SCHEMAS["$schema"], "$defs": SCHEMAS["$defs"], "$ref": format!("#/$defs/{name}"),
            });
            (name.clone(), jsonschema::validator_for(&schema).expect("a schema is one"))
        })
        .collect()
});

/// Reads the schemas, which takes so long that tests of what happens within milliseconds want it done before.
pub fn prepare() {
    LazyLock::force(&VALIDATORS);
}

/// What is wrong with a message: where, what, and the rule; nothing if it is a good one.
///
/// # Panics
///
/// If there is no such definition.
#[must_use]
pub fn violations(definition: &str, message: &Value) -> Vec<String> {
    let errors = VALIDATORS[definition].iter_errors(message);
    let mut found: Vec<_> = errors
        .map(|error| {
            let rule = rule(definition, error.evaluation_path().as_str()).unwrap_or_default();
            format!("at `{}`: {error} ({rule})", error.instance_path())
        })
        .collect();
    match definition {
        "catalog" => found.extend(wrong_catalog(message)),
        _ if definition.starts_with("binding") => found.extend(wrong_binding(message)),
        _ => {}
    }
    found
}

/// The innermost `$comment` on the way that a validation took.
fn rule(definition: &str, path: &str) -> Option<&'static str> {
    let (mut schema, mut rule) = (&SCHEMAS["$defs"][definition], None);
    // The first step is the reference to the definition.
    for step in path.split('/').skip(2) {
        rule = schema["$comment"].as_str().or(rule);
        schema = match (step, schema) {
            ("$ref", schema) => SCHEMAS.pointer(schema["$ref"].as_str()?.strip_prefix('#')?)?,
            (step, Value::Array(schemas)) => schemas.get(step.parse::<usize>().ok()?)?,
            (step, schema) => schema.get(step)?,
        };
    }
    schema["$comment"].as_str().or(rule)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// What has to differ, and the schemas of parameters.
fn wrong_catalog(catalog: &Value) -> Vec<String> {
    let services = list(&catalog["services"]);
    let plans: Vec<_> = services.iter().flat_map(|service| list(&service["plans"])).collect();
    let of_services = |pointer| services.iter().filter_map(|service| service.pointer(pointer)).collect::<Vec<_>>();
    let ids = of_services("/id").into_iter().chain(plans.iter().map(|plan| &plan["id"]));
    let mut wrong = Vec::from_iter(twice(ids, "CAT-11, CAT-30"));
    wrong.extend(twice(of_services("/name"), "CAT-10"));
    wrong.extend(twice(of_services("/dashboard_client/id"), "PROF-20"));
    for service in services {
        wrong.extend(twice(list(&service["plans"]).iter().map(|plan| &plan["name"]), "CAT-31"));
    }
    for plan in plans {
        for at in ["/service_instance/create", "/service_instance/update", "/service_binding/create"] {
            let parameters = plan["schemas"].pointer(&format!("{at}/parameters"));
            let problems = parameters.map(wrong_parameters).unwrap_or_default();
            wrong.extend(problems.into_iter().map(|problem| format!("{at} of {}: {problem}", plan["name"])));
        }
    }
    wrong
}

fn twice<'a>(values: impl IntoIterator<Item = &'a Value>, rule: &str) -> Option<String> {
    let mut seen = BTreeSet::new();
    let again = values.into_iter().find(|value| !seen.insert(value.to_string()))?;
    Some(format!("{again} is given twice ({rule})"))
}

fn wrong_parameters(schema: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Err(error) = jsonschema::draft4::meta::validate(schema) {
        wrong.push(format!("at `{}`: {error} (CAT-54)", error.instance_path()));
    }
    let text = schema.to_string();
    if text.split(r#""$ref":""#).skip(1).any(|reference| !reference.starts_with('#')) {
        wrong.push("it refers to something outside of itself (CAT-52)".to_owned());
    }
    if text.len() > 65_536 {
        wrong.push("it is larger than 64 kB (CAT-53)".to_owned());
    }
    wrong
}

/// What comes first.
fn wrong_binding(binding: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let metadata = &binding["metadata"];
    // Times of this form are in the order of their texts.
    if let (Some(renew), Some(end)) = (metadata["renew_before"].as_str(), metadata["expires_at"].as_str())
        && renew > end
    {
        wrong.push(format!("`renew_before`, {renew}, is after {end} (BIND-25)"));
    }
    for ports in list(&binding["endpoints"]).iter().flat_map(|endpoint| list(&endpoint["ports"])) {
        let ports = ports.as_str().unwrap_or_default();
        let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
        match (first.parse::<u16>(), last.parse::<u16>()) {
            (Ok(first), Ok(last)) if 0 < first && first <= last => {}
            _ => wrong.push(format!("{ports:?} is neither a port nor a range of ports (BIND-23)")),
        }
    }
    wrong
}
