//! Reads a line of JSON into the records of an instance and its bindings.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Values, fields::LineFields};
use crate::{
    catalog::{Offering, ParametersInfo, PlanInfo, StateInfo},
    json::{Json, LazyObject, MAX_DEPTH, Members, RawObject},
    lifecycle::{operations::new_id, parameters::is_empty},
    protocol::{BindResource, BindingId, Tenant},
    schema::{Violation, check},
    service::{DashboardUrl, Extras, StateJson, read_timestamp, timestamp},
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
pub fn read(
    line: &str,
    offerings: &[&'static Offering],
    values: Values,
    now: Timestamp,
) -> Result<Vec<(Key, Record)>, Vec<Violation>> {
    let mut problems = Vec::new();
    let whole = |message| Err(vec![Violation::new("", message)]);
    let json = match Json::read(line.as_bytes()) {
        Ok(json) => json,
        Err(error) => {
            let text = error.to_string(); // of syntax errors, which name no part of the line
            let reason = text.split(" at line ").next().unwrap_or_default();
            return whole(format!("can't be read as JSON: {reason}, at column {}", error.column()));
        }
    };
    if json.is_deeper_than(LINE_DEPTH) {
        return whole(format!("nested deeper than {LINE_DEPTH} levels"));
    }
    let records =
        LineFields::of(json, String::new(), values, &mut problems).map(|fields| read_instance(fields, offerings, now));
    match records {
        Some(mut records) if problems.is_empty() => {
            keep_contexts(line, &mut records);
            Ok(records)
        }
        _ => Err(problems),
    }
}

/// Replaces the contexts by their texts, whose numbers can have more digits than a [`Json`] keeps.
fn keep_contexts(line: &str, records: &mut [(Key, Record)]) {
    let Some(row) = RawObject::read_str(line) else { return };
    let bindings = row.items("bindings").unwrap_or_default();
    let rows = std::iter::once(Some(row)).chain(bindings.into_iter().map(RawObject::read_str));
    for (row, (_, record)) in rows.zip(records) {
        let Some(row) = row else { continue };
        let Some(text) = row.get("context").filter(|text| text.starts_with('{')) else { continue };
        let context = LazyObject::from_text(&*row.with_plain_zeros(text));
        if let Some(instance) = record.instance_mut() {
            instance.context = context;
        } else if let Some(binding) = record.binding_mut() {
            binding.context = Some(context);
        }
    }
}

fn read_instance(mut fields: LineFields<'_>, offerings: &[&'static Offering], now: Timestamp) -> Vec<(Key, Record)> {
    let tenant = fields.string("tenant").unwrap_or_default();
    let tenant: Tenant = tenant.parse().unwrap_or_else(|error| {
        fields.add("tenant", format!("{error}"));
        Tenant::default()
    });
    let id = fields.resource_id("instance_id");
    let (service_id, plan_id) = (fields.id("service_id"), fields.id("plan_id"));
    let offering = offerings.iter().copied().find(|offering| offering.id == service_id);
    if offering.is_none() && !service_id.is_empty() {
        fields.add("service_id", format!("the broker has no service {service_id}"));
    }
    let plan = find_plan(&mut fields, offering, &plan_id);
    let parameters = read_parameters(&mut fields, plan, |plan| plan.create);
    let state = read_state(&mut fields, plan.map(|plan| plan.states.instance));
    let extras = read_extras(&mut fields);
    let maintenance_version = fields.within("maintenance_info", |info| info.string("version")).flatten();
    let unfinished = read_unfinished_change(&mut fields, offering);
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
        half_updated: fields.flag("half_updated"),
        extras,
        maintenance_version,
        status: imported_status(now),
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
            binding.add("binding_id", format!("duplicate binding id {id}"));
        }
        let record = read_binding(&mut binding, offering, (&service_id, &plan_id), now);
        binding.end();
        records.push((key.of_binding(id.into()), record.into()));
    }
    fields.end();
    records
}

/// Returns a plan of the service. An unknown one is a problem; a missing id is one already.
fn find_plan(fields: &mut LineFields<'_>, offering: Option<&'static Offering>, id: &str) -> Option<&'static PlanInfo> {
    let offering = offering?;
    match offering.plan(id) {
        None if !id.is_empty() => fields.refuse("plan_id", &format!("service {:?} has no plan {id}", offering.name)),
        plan => plan,
    }
}

/// Reads the checkpoint of a failed change to another plan.
fn read_unfinished_change(
    fields: &mut LineFields<'_>,
    offering: Option<&'static Offering>,
) -> Option<(String, StateJson)> {
    fields.within("unfinished_change", |change| {
        let plan_id = change.id("plan_id");
        let plan = find_plan(change, offering, &plan_id);
        let state = read_state(change, plan.map(|plan| plan.states.instance));
        (plan_id, state)
    })
}

fn read_binding(
    fields: &mut LineFields<'_>,
    offering: Option<&'static Offering>,
    (service_id, plan_id): (&str, &str),
    now: Timestamp,
) -> BindingRecord {
    // `""` counts as absent, as in a request (T39b). The plan of the instance has been checked.
    let own = fields.string("plan_id").filter(|id| !id.is_empty());
    let plan = match &own {
        Some(own) => find_plan(fields, offering, own),
        None => offering.and_then(|offering| offering.plan(plan_id)),
    };
    if let Some(plan) = plan.filter(|plan| !plan.spec.bindable) {
        fields.add("plan_id", format!("instances of plan {:?} cannot be bound", plan.spec.name));
    }
    let plan_id = own.as_deref().unwrap_or(plan_id);
    let parameters = read_parameters(fields, plan, |plan| plan.bind);
    let state = read_state(fields, plan.map(|plan| plan.states.binding));
    let resource = read_resource(fields);
    if plan.is_some_and(|plan| plan.spec.requires_app) && resource.app_guid.is_none() {
        fields.add("bind_resource/app_guid", "is required by the plan".to_owned());
    }
    let output = read_output(fields);
    check_output(fields, plan, &output);
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
        created: now,
        status: imported_status(now),
    }
}

fn read_resource(fields: &mut LineFields<'_>) -> BindResource {
    let fields = fields.map("bind_resource").unwrap_or_default();
    // `""` counts as absent, as in a request (T39b).
    let text = |name: &str| fields.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    BindResource {
        app_guid: text("app_guid"),
        route: text("route"),
        space_guid: text("space_guid"),
        credential_client_id: text("credential_client_id"),
        fields,
    }
}

/// Reads the members of the response of a binding.
fn read_output(fields: &mut LineFields<'_>) -> Members {
    let mut output = Members::default();
    match fields.take("metadata") {
        Some(Json::Object(mut metadata)) => {
            for name in ["expires_at", "renew_before"] {
                let Some(time) = metadata.get_mut(name) else { continue };
                // As the engine writes it: such texts sort like their times.
                match time.as_str().and_then(read_timestamp).and_then(timestamp) {
                    Some(text) => *time = text.into(),
                    None => fields
                        .add(&format!("metadata/{name}"), "write a time such as 2027-01-01T00:00:00.0Z".to_owned()),
                }
            }
            output.insert("metadata", metadata);
        }
        Some(_) => fields.add("metadata", "must be an object".to_owned()),
        None => {}
    }
    for name in OUTPUT {
        if let Some(value) = fields.take(name) {
            output.insert(name, value);
        }
    }
    output
}

/// Checks the response of a binding against the types of its output.
fn check_output(fields: &mut LineFields<'_>, plan: Option<&PlanInfo>, output: &Members) {
    let without = fields.flag("without_credentials");
    let Some(plan) = plan else { return };
    match (plan.credentials, output.get("credentials")) {
        (_, Some(_)) if without => fields.add("without_credentials", "contradicts the credentials".to_owned()),
        (Some(_), Some(_)) if fields.values == Values::Stored => {}
        (Some(schema), Some(value)) => fields.add_all("credentials", check(schema, &value.clone().into())),
        (Some(_), None) if !without => {
            let remedy = r#"write "without_credentials": true if they were not kept"#;
            fields.add("credentials", format!("are required; {remedy}"));
        }
        (None, Some(_)) => fields.add("credentials", "bindings of this plan have none".to_owned()),
        (_, None) => {}
    }
    if plan.requires.syslog_drain && output.get("syslog_drain_url").is_none() {
        fields.add("syslog_drain_url", "is required".to_owned());
    }
    // Absent ones are right: of a route service out of band, and of a list of volumes that is empty (BIND-19).
    let allowed = [
        ("syslog_drain_url", plan.requires.syslog_drain),
        ("route_service_url", plan.requires.route_forwarding),
        ("volume_mounts", plan.requires.volume_mount),
    ];
    for (name, has_it) in allowed {
        if !has_it && output.get(name).is_some() {
            fields.add(name, "bindings of this plan have none".to_owned());
        }
    }
}

fn read_parameters(
    fields: &mut LineFields<'_>,
    plan: Option<&PlanInfo>,
    of: fn(&PlanInfo) -> Option<ParametersInfo>,
) -> Value {
    let value = Value::Object(fields.map("parameters").unwrap_or_default());
    match plan.map(of) {
        Some(Some(info)) => {
            let checked = match fields.values {
                Values::New => info.check(&value),
                Values::Stored => (info.check_stored)(&value),
            };
            fields.add_all("parameters", checked.err().unwrap_or_default());
        }
        Some(None) if !is_empty(&value) && fields.values == Values::New => {
            fields.add("parameters", "the plan takes no parameters".to_owned());
        }
        _ => {}
    }
    value
}

/// A state without a version was written for this release: an export always has one.
fn read_state(fields: &mut LineFields<'_>, of: Option<StateInfo>) -> StateJson {
    let present = of.map_or(0, |of| of.version);
    let version = fields.take("state_version").map_or(present, |version| {
        let read = serde_json::from_value(version.into()).ok();
        read.or_else(|| fields.refuse("state_version", "must be a whole number")).unwrap_or_default()
    });
    let saved = StateJson { version, value: fields.take("state").map(Value::from).unwrap_or_default() };
    if let Some(Err(reason)) = of.map(|of| (of.decode)(saved.version, &saved.value)) {
        let is_missing = saved.value.is_null();
        fields.add("state", if is_missing { "is required".to_owned() } else { reason + ", or change the line" });
    }
    saved
}

fn read_extras(fields: &mut LineFields<'_>) -> Extras {
    let dashboard_url = fields.string("dashboard_url");
    if let Some(Err(error)) = dashboard_url.as_deref().map(DashboardUrl::new) {
        fields.add("dashboard_url", error.to_string());
    }
    let maps = fields.within("metadata", |metadata| ["labels", "attributes"].map(|name| metadata.map(name)));
    let [labels, attributes] = maps.unwrap_or_default().map(Option::unwrap_or_default);
    Extras { dashboard_url, labels, attributes }
}

/// The status of an imported instance or binding: created by an operation that no platform polls.
fn imported_status(now: Timestamp) -> OperationState {
    let operation = OperationRecord {
        id: new_id().into(),
        kind: OperationKind::Create { rollback: None },
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
