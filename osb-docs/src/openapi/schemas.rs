//! Schemas of request and response bodies: those that depend on the plans, and those common to all brokers.

use serde_json::Map;

use super::{
    Offer,
    dialect::{Definitions, translated},
};
use crate::published;
use osb_runtime::{
    catalog::ParametersInfo,
    json::{Json, Members, json},
    schema::{Schema, fill_foreign},
};

pub(super) fn reference(name: &str) -> Json {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns the published parameter schema; an empty object for a plan without parameters.
fn parameters(info: Option<&ParametersInfo>, definitions: &mut Definitions) -> Json {
    let Some(info) = info else { return json!({ "type": "object", "maxProperties": 0 }) };
    translated(published(info), definitions)
}

fn are_required(info: Option<&ParametersInfo>) -> bool {
    info.is_some_and(|info| info.check(&Map::new().into()).is_err())
}

/// Names the service and the plan or family.
fn title(Offer { service, plan }: Offer<'_>) -> String {
    let noun = if plan.family.is_some() { "family" } else { "plan" };
    format!("{}, {noun} {}", service.name, plan.spec.name)
}

/// Returns the alternative of a request body for one plan, identified by its ids.
fn branch(offer: Offer<'_>, required: &[&str]) -> Json {
    let Offer { service, plan } = offer;
    let id = match plan.family {
        None => json!({ "const": plan.spec.id }),
        Some(_) => {
            let text = format!("The id of a plan of the family `{}`, which a deployment lists.", plan.spec.name);
            json!({ "type": "string", "description": text })
        }
    };
    json!({
        "title": title(offer),
        "description": plan.spec.description,
        "type": "object",
        "required": required,
        "properties": {
            "service_id": { "const": service.id },
            "plan_id": id,
            "context": reference("Context"),
        },
    })
}

/// Allows `null` in place of each optional property: it counts as absent.
fn with_nulls(mut branch: Json) -> Json {
    let required = branch["required"].clone();
    let is_required =
        |name: &str| matches!(&required, Json::Array(all) if all.iter().any(|one| one.as_str() == Some(name)));
    for (name, schema) in branch["properties"].as_object_mut().into_iter().flat_map(Members::iter_mut) {
        if !is_required(name) {
            *schema = json!({ "anyOf": [schema.clone(), { "type": "null" }] });
        }
    }
    branch
}

fn require(branch: &mut Json, name: &str) {
    if let Some(required) = branch["required"].as_array_mut() {
        required.push(name.into());
    }
}

pub(super) fn provision(plans: &[Offer<'_>], definitions: &mut Definitions) -> Json {
    let branches = plans.iter().map(|offer| {
        let mut branch = branch(*offer, &["service_id", "plan_id", "organization_guid", "space_guid"]);
        let info = offer.plan.create.as_ref();
        let properties = &mut branch["properties"];
        properties["organization_guid"] = json!({ "type": "string", "minLength": 1 });
        properties["space_guid"] = json!({ "type": "string", "minLength": 1 });
        properties["parameters"] = parameters(info, definitions);
        maintenance(*offer, properties);
        if are_required(info) {
            require(&mut branch, "parameters");
        }
        with_nulls(branch)
    });
    json!({ (alternatives(plans)): branches.collect::<Vec<_>>() })
}

/// The body of an update names the new plan, or none to keep the current one; so several alternatives may match.
pub(super) fn update(plans: &[Offer<'_>], definitions: &mut Definitions) -> Json {
    let branches = plans.iter().filter(|offer| offer.updates() || is_a_target(**offer)).map(|offer| {
        let mut branch = branch(*offer, &["service_id"]);
        let properties = &mut branch["properties"];
        properties["parameters"] = parameters(offer.plan.update.as_ref(), definitions);
        properties["previous_values"] =
            json!({ "type": "object", "description": "Attributes of the instance before the update, as the platform knows them." });
        maintenance(*offer, properties);
        with_nulls(branch)
    });
    json!({ "anyOf": branches.collect::<Vec<_>>() })
}

fn is_a_target(offer: Offer<'_>) -> bool {
    offer.service.changes.iter().any(|change| change.to == offer.plan.spec.id)
}

pub(super) fn bind(plans: &[Offer<'_>], definitions: &mut Definitions) -> Json {
    let mut branches: Vec<_> = plans
        .iter()
        .map(|offer| {
            let mut branch = branch(*offer, &["service_id", "plan_id"]);
            let info = offer.plan.bind.as_ref();
            branch["properties"]["bind_resource"] = reference("BindResource");
            branch["properties"]["parameters"] = parameters(info, definitions);
            if are_required(info) {
                require(&mut branch, "parameters");
            }
            if offer.plan.spec.requires_app {
                require(&mut branch, "bind_resource");
            }
            let mut branch = with_nulls(branch);
            branch["not"] = json!({
                "required": ["predecessor_binding_id"],
                "properties": { "predecessor_binding_id": { "type": "string" } },
            });
            branch
        })
        .collect();
    if plans.iter().any(|offer| offer.plan.spec.rotatable) {
        branches.push(json!({
            "title": "Rotation of a binding",
            "description": "The new binding gets the service, plan and parameters of its predecessor.",
            "type": "object",
            "required": ["predecessor_binding_id"],
            "properties": { "predecessor_binding_id": { "type": "string", "minLength": 1 } },
        }));
    }
    json!({ (alternatives(plans)): branches })
}

/// Returns the keyword for alternatives, which exclude each other by the ids of the plans; those of a family are not known.
fn alternatives(plans: &[Offer<'_>]) -> &'static str {
    if plans.iter().any(|offer| offer.plan.family.is_some()) { "anyOf" } else { "oneOf" }
}

fn maintenance(offer: Offer<'_>, properties: &mut Json) {
    if let Some(maintenance) = &offer.plan.spec.maintenance {
        let version = json!({ "const": maintenance.version });
        properties["maintenance_info"] =
            json!({ "type": "object", "required": ["version"], "properties": { "version": version } });
    }
}

/// The response to a fetch of an instance.
pub(super) fn instance() -> Json {
    json!({
        "type": "object",
        "required": ["service_id", "plan_id"],
        "properties": {
            "service_id": { "type": "string" },
            "plan_id": { "type": "string" },
            "dashboard_url": { "type": "string" },
            "parameters": { "type": "object", "description": "Secrets are left out." },
            "maintenance_info": { "type": "object", "properties": { "version": { "type": "string" } } },
            "metadata": { "type": "object" },
        },
    })
}

/// The response with a binding of any of the plans.
pub(super) fn binding(plans: &[Offer<'_>], definitions: &mut Definitions) -> Json {
    let mut properties = Members::default();
    let mut add = |name: &str, schema: Json| properties.insert(name, schema);
    let time = || json!({ "type": "string", "format": "date-time" });
    add("metadata", json!({ "type": "object", "properties": { "expires_at": time(), "renew_before": time() } }));
    let credentials: Vec<_> = plans
        .iter()
        .filter_map(|offer| {
            let mut schema = credentials(offer.plan.credentials?, definitions);
            schema["title"] = title(*offer).into();
            Some(schema)
        })
        .collect();
    if !credentials.is_empty() {
        add("credentials", json!({ "anyOf": credentials }));
    }
    let requires = plans.iter().fold(osb_runtime::catalog::Requires::NONE, |all, offer| all.or(offer.plan.requires));
    for (needed, name, schema) in [
        (requires.syslog_drain, "syslog_drain_url", json!({ "type": "string" })),
        (requires.route_forwarding, "route_service_url", json!({ "type": "string" })),
        (requires.volume_mount, "volume_mounts", json!({ "type": "array", "items": { "type": "object" } })),
    ] {
        if needed {
            add(name, schema);
        }
    }
    add("endpoints", json!({ "type": "array", "items": reference("Endpoint") }));
    add(
        "parameters",
        json!({ "type": "object", "description": "Present when the binding is fetched; secrets are left out." }),
    );
    json!({ "type": "object", "properties": properties })
}

fn credentials(schema: &Schema, definitions: &mut Definitions) -> Json {
    translated(fill_foreign(schema), definitions)
}

/// Returns the schemas that do not depend on the catalog.
pub(super) fn common() -> Members {
    let text = || json!({ "type": "string" });
    let object = |description: &str| json!({ "type": "object", "description": description });
    let schemas = json!({
        "Error": {
            "type": "object",
            "properties": {
                "error": { "type": "string", "description": "An error code of the specification, such as `ConcurrencyError`." },
                "description": { "type": "string", "description": "A message for the user." },
                "instance_usable": { "type": "boolean" },
                "update_repeatable": { "type": "boolean" },
            },
        },
        "Nothing": object("An empty object."),
        "Accepted": {
            "type": "object",
            "properties": {
                "operation": { "type": "string", "description": "To be sent with each poll." },
                "dashboard_url": text(),
                "metadata": object("Labels and attributes."),
            },
        },
        "Instance": {
            "type": "object",
            "properties": { "dashboard_url": text(), "metadata": object("Labels and attributes.") },
        },
        "LastOperation": {
            "type": "object",
            "required": ["state"],
            "properties": {
                "state": { "enum": ["in progress", "succeeded", "failed"] },
                "description": text(),
                "instance_usable": { "type": "boolean" },
                "update_repeatable": { "type": "boolean" },
            },
        },
        "Catalog": {
            "type": "object",
            "required": ["services"],
            "properties": { "services": { "type": "array", "items": { "type": "object" } } },
        },
        "Context": {
            "type": "object",
            "description": "Identifies the instance's location on the platform.",
            "properties": { "platform": text() },
        },
        "BindResource": { "type": "object", "properties": { "app_guid": text(), "space_guid": text(), "route": text() } },
        "Endpoint": {
            "type": "object",
            "required": ["host", "ports"],
            "properties": {
                "host": text(),
                "ports": { "type": "array", "items": text() },
                "protocol": { "enum": ["tcp", "udp", "all"] },
            },
        },
    });
    schemas.as_object().cloned().unwrap_or_default()
}
