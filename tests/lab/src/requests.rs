//! Requests to the lab broker.

use osb_runtime::lifecycle::Settings;
use serde_json::{Value, json};

use crate::{
    lab::{Lab, LabBroker, ids},
    wire::{Reply, Wire},
};

/// The path of the instance that most tests use.
pub const I: &str = "/v2/service_instances/i";
/// The path of a binding of it.
pub const B: &str = "/v2/service_instances/i/service_bindings/b";

/// The query of a DELETE.
pub const DELETE: &str = "service_id=6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a01&plan_id=6f0e3a52-54a5-4a3c-9e0a-6b1c4f6f5a02";

/// Serves a lab broker.
pub async fn lab() -> (Wire, Lab) {
    lab_with(|_| ()).await
}

/// Serves a lab broker with changed settings.
pub async fn lab_with(change: impl FnOnce(&mut Settings)) -> (Wire, Lab) {
    let (lab, mut settings) = (Lab::default(), Settings::default());
    change(&mut settings);
    (Wire::serve_with(LabBroker { lab: lab.clone() }, settings).await, lab)
}

/// Returns the path of a request that accepts a 202.
pub fn accepting(path: &str) -> String {
    format!("{path}?accepts_incomplete=true")
}

/// Sends a DELETE to a path.
pub async fn delete(wire: &Wire, path: &str) -> Reply {
    wire.delete(&format!("{path}?{DELETE}")).await
}

/// Returns the body with a member set.
pub fn with(mut body: Value, name: &str, value: Value) -> Value {
    body[name] = value;
    body
}

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
    let context = json!({ "platform": "cloudfoundry", "organization_guid": "o", "space_guid": "s" });
    with(new_of(ids::LAB, plan, parameters), "context", context)
}

/// Returns the body for PUT of an instance of any service, without a context.
pub fn new_of(service: &str, plan: &str, parameters: Value) -> Value {
    let ids = json!({ "service_id": service, "plan_id": plan, "organization_guid": "o", "space_guid": "s" });
    with(ids, "parameters", parameters)
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
