//! Instances as lines of JSON, to take them over from another broker and to hand them to one.
//!
//! A line is an instance with its bindings. The names are those of the specification, and of this crate for its own data:
//!
//! ```json
//! {
//!   "tenant": "cf-prod", "instance_id": "…", "service_id": "…", "plan_id": "…",
//!   "organization_guid": "…", "space_guid": "…", "context": {}, "parameters": {},
//!   "state": {}, "state_version": 0,
//!   "dashboard_url": "https://…", "metadata": { "labels": {}, "attributes": {} }, "maintenance_info": { "version": "1.0.0" },
//!   "bindings": [{
//!     "binding_id": "…", "plan_id": "…", "bind_resource": { "app_guid": "…" }, "context": {}, "parameters": {},
//!     "predecessor_binding_id": "…", "state": {}, "state_version": 0,
//!     "credentials": {}, "without_credentials": false,
//!     "metadata": { "expires_at": "2027-01-01T00:00:00.0Z" }, "has_expired": false
//!   }],
//!   "unfinished_change": { "plan_id": "…", "state": {}, "state_version": 0 }
//! }
//! ```
//!
//! Only the ids are required, and what the types of the broker need: a state other than `()`, parameters without a default,
//! credentials, unless `without_credentials` says that they were read once and not kept. A binding has the plan of its instance,
//! unless it has a `plan_id`: bindings keep their plan when the instance changes it. `has_expired` says that
//! [`Hooks::expired`](crate::lifecycle::Hooks::expired) was called, and `unfinished_change` is the checkpoint of a failed change
//! to another plan. `state` is the author's [`State`](crate::service::Provision::State), `state_version` the
//! [`STATE_VERSION`](crate::service::Provision::STATE_VERSION) that it was written with.

mod fields;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use self::fields::Fields;
use super::operations::new_id;
use crate::{
    catalog::{Decoded, Offering, ParametersInfo, PlanInfo},
    json::{Json, LazyObject, MAX_DEPTH, Members, json},
    protocol::{BindResource, BindingId, Tenant},
    schema::{Violation, check},
    service::{DashboardUrl, Extras, Saved, read_timestamp, timestamp},
    store::{
        BindingRecord, Ended, InstanceRecord, Key, OperationKind, OperationRecord, OperationState, Phase, Record,
        Timestamp,
    },
};

/// The members of a binding's response.
const OUTPUT: [&str; 5] = ["credentials", "syslog_drain_url", "route_service_url", "volume_mounts", "endpoints"];

/// The deepest nesting of a line: that of a value in a binding.
const LINE_DEPTH: usize = MAX_DEPTH + 3;

/// Reads a line, and checks it against the catalog, the schemas and the types of the states. Returns the records of the
/// instance and its bindings, which are as if the broker had made them at `now`.
///
/// # Errors
///
/// All problems, each with its JSON pointer. They contain no secrets.
pub fn read(line: &str, offerings: &[&'static Offering], now: Timestamp) -> Result<Vec<(Key, Record)>, Vec<Violation>> {
    let mut found = Vec::new();
    let json = match Json::read(line.as_bytes()) {
        Ok(json) => json,
        Err(error) => {
            let message = format!("not JSON, at column {}", error.column());
            return Err(vec![Violation { pointer: String::new(), message }]);
        }
    };
    if json.is_deeper_than(LINE_DEPTH) {
        let message = format!("nested deeper than {LINE_DEPTH} levels");
        return Err(vec![Violation { pointer: String::new(), message }]);
    }
    let records = Fields::of(json, String::new(), &mut found).map(|fields| instance(fields, offerings, now));
    match records {
        Some(records) if found.is_empty() => Ok(records),
        _ => Err(found),
    }
}

fn instance(mut fields: Fields<'_>, offerings: &[&'static Offering], now: Timestamp) -> Vec<(Key, Record)> {
    let tenant = fields.string("tenant").unwrap_or_default();
    let tenant: Tenant = tenant.parse().unwrap_or_else(|error| {
        fields.wrong("tenant", format!("{error}"));
        Tenant::default()
    });
    let id = fields.resource_id("instance_id");
    let (service_id, plan_id) = (fields.id("service_id"), fields.id("plan_id"));
    let offering = offerings.iter().find(|offering| offering.id == service_id);
    let plan = offering.and_then(|offering| offering.plan(&plan_id));
    match (offering, plan) {
        (None, _) if !service_id.is_empty() => {
            fields.wrong("service_id", format!("the broker has no service {service_id}"));
        }
        (Some(offering), None) if !plan_id.is_empty() => {
            fields.wrong("plan_id", format!("service {:?} has no plan {plan_id}", offering.name));
        }
        _ => {}
    }
    let parameters = parameters(&mut fields, plan, |plan| plan.create);
    let state = state(&mut fields, plan.map(|plan| plan.states.instance));
    let extras = extras(&mut fields);
    let maintenance_version = fields.within("maintenance_info", |info| info.string("version")).flatten();
    let unfinished = unfinished(&mut fields, offering);
    let bindings = fields.array("bindings");
    let record = InstanceRecord {
        service_id: service_id.clone().into(),
        plan_id: plan_id.clone().into(),
        organization_guid: fields.string("organization_guid"),
        space_guid: fields.string("space_guid"),
        context: fields.map("context").map(LazyObject::from).unwrap_or_default(),
        parameters: parameters.into(),
        state: Some(state),
        unfinished,
        extras,
        maintenance_version,
        status: made(now),
        bindings: u64::try_from(bindings.len()).unwrap_or(u64::MAX),
        busy: BTreeMap::new(),
    };
    let key = Key { tenant, instance: id.into(), binding: None };
    let mut records = vec![(key.clone(), record.into())];
    let mut seen = std::collections::BTreeSet::new();
    for (at, json) in bindings.into_iter().enumerate() {
        let Some(mut binding) = fields.element("bindings", at, json) else { continue };
        let id = binding.resource_id("binding_id");
        if !id.is_empty() && !seen.insert(id.clone()) {
            binding.wrong("binding_id", format!("duplicate binding id {id}"));
        }
        let record = self::binding(&mut binding, offering, (&service_id, &plan_id), now);
        binding.end();
        records.push((key.of_binding(id.into()), record.into()));
    }
    fields.end();
    records
}

/// Reads the checkpoint of a failed change to another plan.
fn unfinished(fields: &mut Fields<'_>, offering: Option<&&'static Offering>) -> Option<(String, Saved)> {
    fields.within("unfinished_change", |change| {
        let plan_id = change.id("plan_id");
        let plan = offering.and_then(|offering| offering.plan(&plan_id));
        if let (Some(offering), None, false) = (offering, plan, plan_id.is_empty()) {
            change.wrong("plan_id", format!("service {:?} has no plan {plan_id}", offering.name));
        }
        let state = state(change, plan.map(|plan| plan.states.instance));
        (plan_id, state)
    })
}

fn binding(
    fields: &mut Fields<'_>,
    offering: Option<&&'static Offering>,
    (service_id, plan_id): (&str, &str),
    now: Timestamp,
) -> BindingRecord {
    let own = fields.string("plan_id");
    let plan = offering.and_then(|offering| offering.plan(own.as_deref().unwrap_or(plan_id)));
    if let (Some(own), Some(offering), None) = (&own, offering, plan) {
        fields.wrong("plan_id", format!("service {:?} has no plan {own}", offering.name));
    }
    if let Some(plan) = plan.filter(|plan| !plan.spec.bindable) {
        fields.wrong("plan_id", format!("instances of plan {:?} cannot be bound", plan.spec.name));
    }
    let plan_id = own.as_deref().unwrap_or(plan_id);
    let parameters = parameters(fields, plan, |plan| plan.bind);
    let state = state(fields, plan.map(|plan| plan.states.binding));
    let resource = fields.map("bind_resource").unwrap_or_default();
    // `""` counts as absent, as in a request (T39b).
    let text = |name: &str| resource.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let resource = BindResource {
        app_guid: text("app_guid"),
        route: text("route"),
        space_guid: text("space_guid"),
        credential_client_id: text("credential_client_id"),
        fields: resource,
    };
    if plan.is_some_and(|plan| plan.spec.requires_app) && resource.app_guid.is_none() {
        fields.wrong("bind_resource/app_guid", "is required by the plan".to_owned());
    }
    let mut output = Members::default();
    match fields.take("metadata") {
        Some(Json::Object(mut metadata)) => {
            for name in ["expires_at", "renew_before"] {
                let Some(given) = metadata.get_mut(name) else { continue };
                // As the engine writes it: such texts sort like their times.
                match given.as_str().and_then(read_timestamp).and_then(timestamp) {
                    Some(text) => *given = text.into(),
                    None => {
                        fields.wrong(
                            &format!("metadata/{name}"),
                            "write a time such as 2027-01-01T00:00:00.0Z".to_owned(),
                        );
                    }
                }
            }
            output.insert("metadata", metadata);
        }
        Some(_) => fields.wrong("metadata", "must be an object".to_owned()),
        None => {}
    }
    for name in OUTPUT {
        if let Some(value) = fields.take(name) {
            output.insert(name, value);
        }
    }
    credentials(fields, plan, &output);
    BindingRecord {
        service_id: service_id.to_owned().into(),
        plan_id: plan_id.to_owned().into(),
        parameters: parameters.into(),
        resource,
        context: fields.map("context").map(LazyObject::from),
        predecessor: fields.string("predecessor_binding_id").map(BindingId::from),
        state: Some(state),
        output,
        read_by: None,
        has_expired: fields.flag("has_expired"),
        status: made(now),
    }
}

/// Checks the response of a binding against the types of its output.
fn credentials(fields: &mut Fields<'_>, plan: Option<&PlanInfo>, output: &Members) {
    let without = fields.flag("without_credentials");
    let Some(plan) = plan else { return };
    match (plan.credentials, output.get("credentials")) {
        (Some(schema), Some(value)) => fields.all("credentials", check(schema, &value.clone().into())),
        (Some(_), None) if !without => fields.wrong("credentials", "are required".to_owned()),
        (None, Some(_)) => fields.wrong("credentials", "bindings of this plan have none".to_owned()),
        (_, None) => {}
    }
    if plan.requires.syslog_drain && output.get("syslog_drain_url").is_none() {
        fields.wrong("syslog_drain_url", "is required".to_owned());
    }
    // Absent ones are right: of a route service out of band, and of a list of volumes that is empty (BIND-19).
    let allowed = [
        ("syslog_drain_url", plan.requires.syslog_drain),
        ("route_service_url", plan.requires.route_forwarding),
        ("volume_mounts", plan.requires.volume_mount),
    ];
    for (name, has_it) in allowed {
        if !has_it && output.get(name).is_some() {
            fields.wrong(name, "bindings of this plan have none".to_owned());
        }
    }
}

fn parameters(fields: &mut Fields<'_>, plan: Option<&PlanInfo>, of: fn(&PlanInfo) -> Option<ParametersInfo>) -> Value {
    let value = Value::Object(fields.map("parameters").unwrap_or_default());
    match plan.map(of) {
        Some(Some(info)) => fields.all("parameters", info.check(&value).err().unwrap_or_default()),
        Some(None) if !super::is_empty(&value) => {
            fields.wrong("parameters", "the plan takes no parameters".to_owned());
        }
        _ => {}
    }
    value
}

/// Decodes a state with the type of this release.
type Decode = fn(u32, &Value) -> Result<Decoded, String>;

fn state(fields: &mut Fields<'_>, decode: Option<Decode>) -> Saved {
    let version = match fields.take("state_version").map(Value::from) {
        None => 0,
        Some(version) => version.as_u64().and_then(|version| u32::try_from(version).ok()).unwrap_or_else(|| {
            fields.wrong("state_version", "must be a whole number".to_owned());
            0
        }),
    };
    let saved = Saved { version, value: fields.take("state").map(Value::from).unwrap_or_default() };
    if let Some(Err(reason)) = decode.map(|decode| decode(saved.version, &saved.value)) {
        fields.wrong("state", reason);
    }
    saved
}

fn extras(fields: &mut Fields<'_>) -> Extras {
    let dashboard_url = fields.string("dashboard_url");
    if let Some(Err(error)) = dashboard_url.as_deref().map(DashboardUrl::new) {
        fields.wrong("dashboard_url", error.to_string());
    }
    let maps = fields.within("metadata", |metadata| ["labels", "attributes"].map(|name| metadata.map(name)));
    let [labels, attributes] = maps.unwrap_or_default().map(Option::unwrap_or_default);
    Extras { dashboard_url, labels, attributes }
}

/// The status of an imported instance or binding: created by an operation that no platform polls.
fn made(now: Timestamp) -> OperationState {
    let operation = OperationRecord {
        id: new_id().to_string(),
        kind: OperationKind::Create { undo: None },
        began: now,
        attempt: 1,
        temporary_failures: 0,
        lease: now,
        deadline: now,
        accepted: false,
        admitted: true,
        progress: None,
        checkpoint: None,
        origin: None,
        identity: None,
        trace: None,
        end: Some(Ended { failure: None }),
    };
    OperationState { phase: Phase::Ready, operation, cancelled: None, earlier: Vec::new() }
}

/// Writes an instance and its bindings as a line, without a line end. Tombstones are left out.
///
/// # Errors
///
/// If an operation is running on one of them, or one was not created or deleted completely.
pub fn write(instance: (&Key, &Record), bindings: &[(Key, Record)]) -> Result<String, Unsettled> {
    let (key, record) = instance;
    let unsettled = |key: &Key, phase| Unsettled { key: key.clone(), phase };
    let Some(found) = record.instance().filter(|found| found.status.phase == Phase::Ready) else {
        return Err(unsettled(key, record.phase()));
    };
    let (plan_id, mut rows) = (&found.plan_id, Vec::new());
    for (key, record) in bindings.iter().filter(|(_, record)| record.tombstone().is_none()) {
        let Some(found) = record.binding().filter(|found| found.status.phase == Phase::Ready) else {
            return Err(unsettled(key, record.phase()));
        };
        let mut row = json!({
            "binding_id": key.binding_id(),
            "plan_id": Some(&*found.plan_id).filter(|own| **own != *plan_id),
            "without_credentials": Some(true).filter(|_| found.output.get("credentials").is_none()),
            "has_expired": Some(true).filter(|_| found.has_expired),
            "predecessor_binding_id": found.predecessor.as_ref().map(BindingId::as_str),
            "bind_resource": object(&found.resource.fields),
            "context": found.context.as_ref().map_or(Json::Null, |context| object(context)),
            "parameters": of(&found.parameters),
            "state": found.state.as_ref().map_or(Json::Null, |state| of(&state.value)),
            "state_version": found.state.as_ref().map(|state| state.version).filter(|version| *version > 0),
        });
        if let Json::Object(row) = &mut row {
            row.extend(found.output.iter().map(|(name, value)| (name.to_owned(), value.clone())));
        }
        rows.push(settled(row));
    }
    let extras = settled(json!({
        "labels": object(&found.extras.labels), "attributes": object(&found.extras.attributes),
    }));
    let unfinished = found.unfinished.as_ref().map(|(plan_id, state)| {
        let version = Some(state.version).filter(|version| *version > 0);
        settled(json!({ "plan_id": plan_id.as_str(), "state": of(&state.value), "state_version": version }))
    });
    let maintenance = found.maintenance_version.as_deref().map(|version| json!({ "version": version }));
    let row = json!({
        "tenant": Some(key.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
        "instance_id": key.instance.as_str(),
        "service_id": &*found.service_id,
        "plan_id": &*found.plan_id,
        "organization_guid": found.organization_guid.as_deref(),
        "space_guid": found.space_guid.as_deref(),
        "context": object(&found.context),
        "parameters": of(&found.parameters),
        "state": found.state.as_ref().map_or(Json::Null, |state| of(&state.value)),
        "state_version": found.state.as_ref().map(|state| state.version).filter(|version| *version > 0),
        "dashboard_url": found.extras.dashboard_url.as_deref(),
        "metadata": extras,
        "maintenance_info": maintenance,
        "bindings": rows,
        "unfinished_change": unfinished,
    });
    Ok(settled(row).to_string())
}

fn of(value: &Value) -> Json {
    Json::of(value).unwrap_or_default()
}

fn object(map: &Map<String, Value>) -> Json {
    Json::of(map).unwrap_or_default()
}

/// Removes absent members and empty objects and arrays, which are the defaults; an author's state is kept.
fn settled(row: Json) -> Json {
    let Json::Object(members) = row else { return row };
    let is_default = |name: &str, value: &Json| match value {
        Json::Null => true,
        Json::Object(members) => members.is_empty() && name != "state" && name != "credentials",
        Json::Array(values) => values.is_empty() && name == "bindings",
        _ => false,
    };
    Json::Object(members.into_iter().filter(|(name, value)| !is_default(name, value)).collect())
}

/// The error for an instance or a binding that can't be handed to another broker at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsettled {
    /// Its key.
    pub key: Key,
    /// Its phase, which is not `Ready`.
    pub phase: Phase,
}

impl std::fmt::Display for Unsettled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let phase = Json::of(&self.phase).unwrap_or_default();
        let phase = phase.as_str().unwrap_or_default();
        match &self.key.binding {
            None => write!(f, "instance {} is in the phase {phase}", self.key.instance),
            Some(binding) => write!(f, "binding {binding} of instance {} is in the phase {phase}", self.key.instance),
        }
    }
}

impl std::error::Error for Unsettled {}
