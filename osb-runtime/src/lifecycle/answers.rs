//! The answers of the lifecycle, worded once.

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::{Deleted, Settings};
use crate::{
    catalog::PlanInfo,
    protocol::{Answer, ApiVersion, Body, DeleteRequest, parse::Malformed},
    schema::Violation,
    service::{ASYNC_REQUIRED, CONCURRENCY, Extras, REQUIRES_APP, Refusal},
    store::{Ended, Failed, Kind, Operation, Place, Record},
};

/// 422 `ConcurrencyError`: something else is going on with the resource (BLK-02).
pub(super) fn concurrency() -> Answer {
    Answer::error(StatusCode::UNPROCESSABLE_ENTITY, Some("ConcurrencyError"), CONCURRENCY)
}

/// 422 `RequiresApp` (BIND-12).
pub(super) fn requires_app() -> Answer {
    Answer::error(StatusCode::UNPROCESSABLE_ENTITY, Some("RequiresApp"), REQUIRES_APP)
}

/// 422 `MaintenanceInfoConflict` (ERR-07).
pub(super) fn maintenance_conflict(plan: &PlanInfo, requested: &str) -> Answer {
    let description = match &plan.spec.maintenance {
        Some(info) => format!(
            "The maintenance_info of plan {:?} has version {:?}, and the request asks for {requested:?}; fetch the catalog again.",
            plan.spec.name, info.version
        ),
        None => format!(
            "Plan {:?} has no maintenance_info, and the request asks for version {requested:?}; fetch the catalog again.",
            plan.spec.name
        ),
    };
    Answer::error(StatusCode::UNPROCESSABLE_ENTITY, Some("MaintenanceInfoConflict"), description)
}

/// 400 for an id that the catalog does not have.
pub(super) fn unknown(field: &str, id: &str) -> Answer {
    let of = if field == "plan_id" { "a plan of this service" } else { "a service of this broker" };
    Answer::error(StatusCode::BAD_REQUEST, None, format!("{field} {id:?} is not {of}."))
}

/// 400.
pub(super) fn bad_request(description: impl Into<String>) -> Answer {
    Answer::error(StatusCode::BAD_REQUEST, None, description)
}

/// 400 for a deletion that lacks what it has to have, of something that is there (X02).
pub(super) fn malformed(request: &DeleteRequest) -> Answer {
    request.malformed.as_ref().map_or_else(unexpected, Malformed::answer)
}

/// 400 with everything that is wrong with the parameters; never 422, which makes platforms delete (T55).
pub(super) fn violations(violations: &[Violation]) -> Answer {
    let list = violations.iter().map(Violation::to_string).collect::<Vec<_>>().join("; ");
    bad_request(format!("Invalid parameters: {list}."))
}

/// 400 where parameters were given and none are taken.
pub(super) fn no_parameters(plan: &PlanInfo) -> Answer {
    bad_request(format!("Invalid parameters: plan {:?} takes none here.", plan.spec.name))
}

/// 404.
pub(super) fn not_found(description: &str) -> Answer {
    Answer::error(StatusCode::NOT_FOUND, None, description)
}

/// 404 for an instance that is not there, or not yet (GETI-05).
pub(super) fn no_instance() -> Answer {
    not_found("There is no such service instance.")
}

/// 404 for a binding that is not there, or not yet (GETB-03).
pub(super) fn no_binding() -> Answer {
    not_found("There is no such service binding.")
}

/// 409: the id is taken by something else (PROV-14, BIND-11).
pub(super) fn conflict(description: &str) -> Answer {
    Answer::error(StatusCode::CONFLICT, None, description)
}

/// 410: there is nothing to delete. `{}`, as platforms up to 2.11 expect (S06).
pub(super) fn gone() -> Answer {
    Answer::empty(StatusCode::GONE)
}

/// 422: the change is not supported (UPD-14).
pub(super) fn unsupported(description: impl Into<String>) -> Answer {
    Answer::error(StatusCode::UNPROCESSABLE_ENTITY, None, description)
}

/// 422 `AsyncRequired` (ASY-05).
pub(super) fn async_required() -> Answer {
    Answer::error(StatusCode::UNPROCESSABLE_ENTITY, Some("AsyncRequired"), ASYNC_REQUIRED)
}

const UNEXPECTED: &str =
    "The service broker failed to do this. The reason is in its log, under the identity of this request.";
const TOO_SLOW: &str = "The service broker did not finish in time, and gave up.";

/// 500: what the user can do nothing about, and may not be told more of.
pub(super) fn unexpected() -> Answer {
    Answer::error(StatusCode::INTERNAL_SERVER_ERROR, None, UNEXPECTED)
}

/// 500: the handler was given all the time there was.
pub(super) fn too_slow() -> Answer {
    Answer::error(StatusCode::INTERNAL_SERVER_ERROR, None, TOO_SLOW)
}

/// 503: an operator has to look after the store.
pub(super) fn no_store() -> Answer {
    let description = "The service broker cannot get at its records now. The reason is in its log.";
    Answer::error(StatusCode::SERVICE_UNAVAILABLE, None, description)
}

fn failure(description: &str) -> Failed {
    Failed {
        status: 500,
        error: None,
        description: description.to_owned(),
        instance_usable: None,
        update_repeatable: None,
    }
}

/// What [`unexpected`] says, as it is stored.
pub(super) fn failed_unexpectedly() -> Failed {
    failure(UNEXPECTED)
}

/// What [`too_slow`] says, as it is stored.
pub(super) fn failed_too_slow() -> Failed {
    failure(TOO_SLOW)
}

/// A create that a deletion has cancelled (S39).
pub(super) fn failed_by_deletion() -> Failed {
    failure("The creation was cancelled by a deletion.")
}

/// A refusal, as it is stored.
pub(super) fn refused(refusal: &Refusal) -> Failed {
    Failed {
        status: refusal.status.unwrap_or(StatusCode::BAD_REQUEST).as_u16(),
        error: refusal.code.as_deref().map(str::to_owned),
        // Old platforms show nothing else (G6).
        description: match refusal.description.trim() {
            "" => "The service broker refuses this, without saying why.".to_owned(),
            _ => refusal.description.clone(),
        },
        instance_usable: refusal.instance_usable,
        update_repeatable: refusal.update_repeatable,
    }
}

/// The answer of who waits for something that fails.
pub(super) fn failed(failed: &Failed) -> Answer {
    let status = StatusCode::from_u16(failed.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer = Answer::error(status, failed.error.as_deref(), failed.description.clone());
    add_hints(&mut answer, failed);
    answer
}

/// ERR-10, ERR-11.
fn add_hints(answer: &mut Answer, failed: &Failed) {
    for (name, value) in [("instance_usable", failed.instance_usable), ("update_repeatable", failed.update_repeatable)]
    {
        if let Some(value) = value {
            answer.insert(name, value.into());
        }
    }
}

/// The answer of who waited for the newest operation, which has ended. `None`: it has not.
pub(super) fn ended(record: &Record, place: &Place) -> Option<Answer> {
    let operation = &record.life(place)?.operation;
    let end = operation.end.as_ref()?;
    if let Some(failure) = &end.failure {
        return Some(failed(failure));
    }
    Some(match (&operation.kind, place) {
        (Kind::Delete { .. }, _) => Answer::empty(StatusCode::OK),
        (Kind::Update(_), _) => instance(StatusCode::OK, &record.extras),
        (Kind::Create { .. }, Place::Instance) => instance(StatusCode::CREATED, &record.extras),
        (Kind::Create { .. }, Place::Binding(id)) => {
            let output = record.bindings.get(id).map(|binding| binding.output.clone());
            Answer::object(StatusCode::CREATED, Value::Object(output.unwrap_or_default()))
        }
    })
}

/// 202: it goes on in the background (ASY-06). For a binding nothing but the operation's id (BIND-10).
pub(super) fn accepted(record: &Record, place: &Place, operation: &str) -> Answer {
    let deleted = record.life(place).is_some_and(|life| life.operation.is_delete());
    let mut answer = match place {
        Place::Instance if !deleted => instance(StatusCode::ACCEPTED, &record.extras),
        _ => Answer::empty(StatusCode::ACCEPTED),
    };
    answer.insert("operation", operation.into());
    answer
}

/// How an operation is going (LOI-03, LOB-01).
pub(super) fn progress(operation: &Operation, settings: &Settings) -> Answer {
    let (state, description) = match &operation.end {
        None => ("in progress", operation.progress.clone()),
        Some(Ended { failure: None }) if operation.is_delete() && settings.deleted == Deleted::Gone => return gone(),
        Some(Ended { failure: None }) => ("succeeded", None),
        Some(Ended { failure: Some(failed) }) => ("failed", Some(failed.description.clone())),
    };
    let mut answer = Answer::object(StatusCode::OK, json!({ "state": state }));
    if let Some(description) = description.filter(|text| !text.is_empty()) {
        answer.insert("description", description.into());
    }
    if let Some(failed) = operation.failure() {
        add_hints(&mut answer, failed);
    }
    match u32::try_from(settings.retry_after.as_secs()).unwrap_or(u32::MAX) {
        seconds @ 1.. if operation.is_running() => answer.retry_after(seconds),
        _ => answer,
    }
}

/// The fields of an answer about an instance (PROV-16, PROV-18).
pub(super) fn instance(status: StatusCode, extras: &Extras) -> Answer {
    let mut answer = Answer::empty(status);
    add_extras(&mut answer, extras);
    answer
}

pub(super) fn add_extras(answer: &mut Answer, extras: &Extras) {
    if let Some(url) = &extras.dashboard_url {
        answer.insert("dashboard_url", Value::String(url.clone()));
    }
    let mut metadata = Map::new();
    for (name, members) in [("labels", &extras.labels), ("attributes", &extras.attributes)] {
        if !members.is_empty() {
            metadata.insert(name.to_owned(), Value::Object(members.clone()));
        }
    }
    if !metadata.is_empty() {
        answer.insert("metadata", Value::Object(metadata));
    }
}

/// What a binding gives, in the shape that the platform's version has for it: route services came with
/// 2.8, until 2.10 volume mounts looked different, and until 2.12 only applications had logs (S33).
pub(super) fn for_version(answer: &mut Answer, version: ApiVersion, application: bool) {
    let Body::Object(fields) = &mut answer.body else { return };
    if version < ApiVersion::new(2, 12) && !application {
        fields.remove("syslog_drain_url");
    }
    if version < ApiVersion::new(2, 8) {
        fields.remove("route_service_url");
    }
    if version < ApiVersion::new(2, 10)
        && let Some(Value::Array(mounts)) = fields.get_mut("volume_mounts")
    {
        for mount in mounts {
            *mount = json!({
                "container_path": mount["container_dir"],
                "mode": mount["mode"],
                "private": {
                    "driver": mount["driver"],
                    "group_id": mount["device"]["volume_id"],
                    "config": mount["device"].get("mount_config").map(Value::to_string).unwrap_or_default(),
                },
            });
        }
    }
}
