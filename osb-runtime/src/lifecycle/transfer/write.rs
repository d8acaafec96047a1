//! Writes the records of an instance and its bindings as a line of JSON.

use std::fmt::Write;

use serde::Serialize;

use super::Unsettled;
use crate::{
    json::{Json, LazyObject, json},
    protocol::BindingId,
    service::StateJson,
    store::{BindingRecord, InstanceRecord, Key, Phase, Record},
};

/// Writes an instance and its bindings as a line, without a line end. Tombstones are left out, and so are bindings on which an
/// operation is running, or which were not created or deleted completely; these are returned too.
///
/// # Errors
///
/// If the instance is such a one.
pub fn write(instance: (&Key, &Record), bindings: &[(Key, Record)]) -> Result<(String, Vec<Unsettled>), Unsettled> {
    let unsettled = |key: &Key, phase| Unsettled { key: key.clone(), phase };
    let (key, record) = instance;
    let instance = record.instance().filter(|instance| instance.status.phase == Phase::Ready);
    let instance = instance.ok_or_else(|| unsettled(key, record.phase()))?;
    let (mut rows, mut left_out) = (Vec::new(), Vec::new());
    for (key, record) in bindings.iter().filter(|(_, record)| record.tombstone().is_none()) {
        match record.binding().filter(|binding| binding.status.phase == Phase::Ready) {
            Some(binding) => rows.push(binding_row(key, binding, &instance.plan_id)),
            None => left_out.push(unsettled(key, record.phase())),
        }
    }
    Ok((instance_row(key, instance, &rows), left_out))
}

fn instance_row(key: &Key, instance: &InstanceRecord, bindings: &[String]) -> String {
    let (state, state_version) = state_of(instance.state.as_ref());
    let metadata = without_defaults(json!({
        "labels": json_of(&instance.extras.labels), "attributes": json_of(&instance.extras.attributes),
    }));
    let unfinished_change = instance.unfinished.as_ref().map(|(plan_id, checkpoint)| {
        let (state, state_version) = state_of(Some(checkpoint));
        without_defaults(json!({ "plan_id": plan_id.as_str(), "state": state, "state_version": state_version }))
    });
    let maintenance_info = instance.maintenance_version.as_deref().map(|version| json!({ "version": version }));
    let row = without_defaults(json!({
        "tenant": key.tenant.non_empty(),
        "instance_id": key.instance.as_str(),
        "service_id": &*instance.service_id,
        "plan_id": &*instance.plan_id,
        "organization_guid": instance.organization_guid.as_deref(),
        "space_guid": instance.space_guid.as_deref(),
        "parameters": json_of(&instance.parameters),
        "state": state,
        "state_version": state_version,
        "dashboard_url": instance.extras.dashboard_url.as_deref(),
        "metadata": metadata,
        "maintenance_info": maintenance_info,
        "half_updated": Some(true).filter(|_| instance.half_updated),
        "unfinished_change": unfinished_change,
    }));
    let mut text = with_context(&row, Some(&instance.context));
    if !bindings.is_empty() {
        text.pop();
        _ = write!(text, r#","bindings":[{}]}}"#, bindings.join(","));
    }
    text
}

fn binding_row(key: &Key, binding: &BindingRecord, instance_plan: &str) -> String {
    let (state, state_version) = state_of(binding.state.as_ref());
    let mut row = json!({
        "binding_id": key.binding_id(),
        "plan_id": Some(&*binding.plan_id).filter(|plan| *plan != instance_plan),
        "without_credentials": Some(true).filter(|_| binding.output.get("credentials").is_none()),
        "has_expired": Some(true).filter(|_| binding.has_expired),
        "predecessor_binding_id": binding.predecessor.as_ref().map(BindingId::as_str),
        "bind_resource": json_of(&binding.resource.fields),
        "parameters": json_of(&binding.parameters),
        "state": state,
        "state_version": state_version,
    });
    if let Json::Object(row) = &mut row {
        row.extend(binding.output.iter().map(|(name, value)| (name.to_owned(), value.clone())));
    }
    with_context(&without_defaults(row), binding.context.as_ref())
}

/// Returns the text of a row, which has an id, with the context as the platform sent it: a number can have more digits than
/// a [`Json`] keeps.
fn with_context(row: &Json, context: Option<&LazyObject>) -> String {
    let mut text = row.to_string();
    if let Some(context) = context.filter(|context| !context.is_empty()) {
        text.pop();
        // A line end can only be outside of strings.
        _ = write!(text, r#","context":{}}}"#, context.as_text().replace(['\n', '\r'], " "));
    }
    text
}

/// Returns a state and its version, unless it is the first one of a state without data.
fn state_of(saved: Option<&StateJson>) -> (Json, Option<u32>) {
    let version = saved.filter(|saved| saved.version > 0 || !saved.value.is_null()).map(|saved| saved.version);
    (saved.map_or(Json::Null, |saved| json_of(&saved.value)), version)
}

fn json_of(value: &impl Serialize) -> Json {
    Json::of(value).unwrap_or_default()
}

/// Removes absent members and empty objects, which are the defaults; an author's state is kept.
fn without_defaults(row: Json) -> Json {
    let Json::Object(members) = row else { return row };
    let is_default = |name: &str, value: &Json| match value {
        Json::Null => true,
        Json::Object(members) => members.is_empty() && name != "state" && name != "credentials",
        _ => false,
    };
    Json::Object(members.into_iter().filter(|(name, value)| !is_default(name, value)).collect())
}
