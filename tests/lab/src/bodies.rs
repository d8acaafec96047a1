//! Validation of the bodies of answers, with the schemas in `schemas/messages.json` and with code.

use std::sync::LazyLock;

use osb_check::judge::{Breach, MESSAGES, Schemas, of_binding, twice, wrong_parameters};
use serde_json::Value;

/// The schemas of the messages of this broker and of any broker. A `$comment` contains the rules for the schema around
/// it.
pub static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| {
    Schemas::read(&[MESSAGES, include_str!("../schemas/messages.json")]).expect("the schemas are valid")
});

/// Parses the schemas. That is slow, so tests with short timeouts do it in advance.
pub fn prepare() {
    LazyLock::force(&SCHEMAS);
}

/// Validates a message. Returns the problems with location and rule.
///
/// # Panics
///
/// If there is no such definition.
#[must_use]
pub fn violations(definition: &str, message: &Value) -> Vec<String> {
    assert!(SCHEMAS.document()["$defs"].get(definition).is_some(), "there is no definition {definition}");
    let mut found = SCHEMAS.breaches(definition, message, "S04");
    match definition {
        "catalog" => found.extend(wrong_catalog(message)),
        _ if definition.starts_with("binding") => found.extend(of_binding(message)),
        _ => {}
    }
    found
        .into_iter()
        .map(|Breach { rule, what, comment, .. }| format!("{what} ({})", comment.as_deref().unwrap_or(rule)))
        .collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Checks for duplicate ids and names, and validates the schemas of parameters.
fn wrong_catalog(catalog: &Value) -> Vec<Breach> {
    let services = list(&catalog["services"]);
    let plans: Vec<_> = services.iter().flat_map(|service| list(&service["plans"])).collect();
    let of_services = |pointer| services.iter().filter_map(|service| service.pointer(pointer)).collect::<Vec<_>>();
    let ids = of_services("/id").into_iter().chain(plans.iter().map(|plan| &plan["id"]));
    let mut wrong = Vec::from_iter(twice(of_services("/id"), "CAT-11"));
    wrong.extend(twice(ids, "CAT-30"));
    wrong.extend(twice(of_services("/name"), "CAT-10"));
    wrong.extend(twice(of_services("/dashboard_client/id"), "PROF-20"));
    for service in services {
        wrong.extend(twice(list(&service["plans"]).iter().map(|plan| &plan["name"]), "CAT-31"));
    }
    for plan in plans {
        for at in ["/service_instance/create", "/service_instance/update", "/service_binding/create"] {
            let parameters = plan["schemas"].pointer(&format!("{at}/parameters"));
            let problems = parameters.map(|schema| [wrong_parameters(schema), not_draft_4(schema)].concat());
            wrong.extend(
                problems
                    .unwrap_or_default()
                    .into_iter()
                    .map(|problem| Breach { what: format!("{at} of {}: {}", plan["name"], problem.what), ..problem }),
            );
        }
    }
    wrong
}

/// Checks for draft-04, the only dialect that all platforms accept.
fn not_draft_4(schema: &Value) -> Vec<Breach> {
    let error = jsonschema::draft4::meta::validate(schema).err();
    Vec::from_iter(error.map(|error| Breach::new("CAT-54", format!("at `{}`: {error}", error.instance_path()))))
}
