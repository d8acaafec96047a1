//! Requests to the lab broker.

use serde_json::{Value, json};

use crate::lab::ids;

/// The query of a DELETE.
pub const DELETE: &str = "service_id=6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01&plan_id=6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02";

/// Returns the path of an instance.
pub fn instance(id: &str) -> String {
    format!("/v2/service_instances/{id}")
}

/// Returns the path of a binding.
pub fn binding(instance: &str, id: &str) -> String {
    format!("/v2/service_instances/{instance}/service_bindings/{id}")
}

/// Returns the body for PUT of an instance.
pub fn new(plan: &str, parameters: Value) -> Value {
    json!({
        "service_id": ids::LAB, "plan_id": plan, "organization_guid": "o", "space_guid": "s",
        "context": { "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s" },
        "parameters": parameters,
    })
}

/// Returns the body for PUT of a binding.
pub fn bind(plan: &str, parameters: Value) -> Value {
    json!({ "service_id": ids::LAB, "plan_id": plan, "parameters": parameters })
}

/// Returns the body for PATCH with these fields.
pub fn change(fields: Value) -> Value {
    let mut body = json!({ "service_id": ids::LAB });
    for (name, value) in fields.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}
