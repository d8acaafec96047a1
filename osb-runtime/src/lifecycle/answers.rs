//! The responses of the lifecycle.

use http::StatusCode;

use super::{DeletedPoll, Settings, transitions::Phase};
use crate::{
    catalog::PlanInfo,
    json::{Json, Members, json},
    protocol::{Answer, ApiVersion, Body, DeleteResource, parse::Malformed, shorten},
    schema::Violation,
    service::{ASYNC_REQUIRED, CONCURRENCY, Extras, REQUIRES_APP, Refusal},
    store::{OperationKind, OperationRecord, Record, StoredFailure},
};

/// 422 `ConcurrencyError`: another operation on the instance or binding is running (BLK-02).
pub(super) fn concurrency() -> Answer {
    Answer::error(StatusCode::UNPROCESSABLE_ENTITY, Some("ConcurrencyError"), CONCURRENCY)
}

/// The deletion of the instance or binding has failed, and nothing runs.
pub(super) fn deletion_failed(status: StatusCode, what: &str) -> Answer {
    Answer::error(status, None, format!("The deletion of this {what} failed earlier; delete it again."))
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

pub(super) fn bad_request(description: impl Into<String>) -> Answer {
    Answer::error(StatusCode::BAD_REQUEST, None, description)
}

/// 400 for a deletion without its mandatory fields, if the instance or binding exists (X02).
pub(super) fn malformed(request: &DeleteResource) -> Answer {
    request.malformed.as_ref().map_or_else(|| bad_request("The request is malformed."), Malformed::answer)
}

/// 400 for a deletion of an instance or binding of another service (T21).
pub(super) fn other_service(request: &DeleteResource) -> Answer {
    not_of_instance("service_id", &request.service_id, "Nothing was deleted.")
}

/// 400 with all violations; never 422, after which Cloud Foundry deletes the instance or binding (T55).
pub(super) fn violations(violations: &[Violation]) -> Answer {
    bad_request(format!("Invalid parameters: {}", list(violations)))
}

/// 422 for a change to a plan that does not accept the parameters that the instance has (UPD-14).
pub(super) fn stored_violations(plan: &PlanInfo, violations: &[Violation]) -> Answer {
    let (plan, list) = (plan.spec.name, list(violations));
    unsupported(format!("Plan {plan:?} does not accept the parameters of this instance: {list}"))
}

fn list(violations: &[Violation]) -> String {
    let list = violations.iter().map(Violation::to_string).collect::<Vec<_>>().join("; ");
    if list.ends_with('?') { list } else { list + "." }
}

/// 400 for an id that differs from the instance's; `remedy` is a sentence.
pub(super) fn not_of_instance(field: &str, id: &str, remedy: &str) -> Answer {
    bad_request(format!("{field} {id:?} is not the {field} of this instance. {remedy}"))
}

/// 400 for parameters of an operation that has none.
pub(super) fn no_parameters(plan: &PlanInfo) -> Answer {
    bad_request(format!("Invalid parameters: plan {:?} accepts none for this operation.", plan.spec.name))
}

pub(super) fn not_found(description: &str) -> Answer {
    Answer::error(StatusCode::NOT_FOUND, None, description)
}

pub(super) fn no_instance() -> Answer {
    none("service instance", Phase::None)
}

pub(super) fn no_binding() -> Answer {
    none("service binding", Phase::None)
}

/// 404 for an instance or binding that does not exist, or not yet (GETI-05, GETB-03). `what` is `service instance` or
/// `service binding`.
pub(super) fn none(what: &str, phase: Phase) -> Answer {
    match phase {
        Phase::Creating => not_found(&format!("This {what} is still being created.")),
        Phase::CreateFailed => not_found(&create_failed(what)),
        _ => not_found(&format!("There is no such {what}.")),
    }
}

/// 409 for an id that belongs to an instance or binding with different attributes, or to one whose creation failed.
pub(super) fn taken(what: &str, phase: Phase) -> Answer {
    conflict(&match phase {
        Phase::Creating => format!("A {what} with this id is being created with different attributes."),
        Phase::CreateFailed => create_failed(what),
        _ => format!("A {what} with this id already exists with different attributes."),
    })
}

fn create_failed(what: &str) -> String {
    format!("The creation of this {what} failed, and so did its rollback; delete the {what} first.")
}

/// 409: the id is taken (PROV-14, BIND-11).
pub(super) fn conflict(description: &str) -> Answer {
    Answer::error(StatusCode::CONFLICT, None, description)
}

/// 410 `{}`: the instance or binding does not exist. Platforms up to 2.11 expect the empty object (S06).
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

/// 500 for an unexpected error, whose detail is in the log only, in a line with this operation.
pub(super) fn unexpected(operation: &str) -> Answer {
    failure_answer(&failed_unexpectedly(operation))
}

/// 503: the record store is unavailable, for example while its database restarts.
pub(super) fn no_store() -> Answer {
    const RETRY_AFTER_SECONDS: u32 = 5;
    let description = "The record store of the service broker is unavailable. The reason is in its log.";
    Answer::error(StatusCode::SERVICE_UNAVAILABLE, None, description).retry_after(RETRY_AFTER_SECONDS)
}

/// 503: the service's queue of waiting operations is full. Nothing has been stored.
pub(super) fn overloaded(settings: &Settings) -> Answer {
    unavailable(settings, "The service broker has too many operations queued for this service; try again later.")
}

/// 503: the broker has handed its operations over. Nothing has been stored.
pub(super) fn shutting_down(settings: &Settings) -> Answer {
    unavailable(settings, "The service broker is shutting down; repeat the request.")
}

fn unavailable(settings: &Settings, description: &str) -> Answer {
    Answer::error(StatusCode::SERVICE_UNAVAILABLE, None, description).retry_after(retry_seconds(settings).max(1))
}

fn retry_seconds(settings: &Settings) -> u32 {
    u32::try_from(settings.retry_after.as_secs()).unwrap_or(u32::MAX)
}

fn internal_failure(description: impl Into<String>) -> StoredFailure {
    StoredFailure { status: 500, description: description.into(), ..StoredFailure::default() }
}

/// The failure of [`unexpected`], for the record.
pub(super) fn failed_unexpectedly(operation: &str) -> StoredFailure {
    internal_failure(format!(
        "The service broker failed unexpectedly. Its log has the reason, under operation {operation}."
    ))
}

/// The failure of a create or update whose process has ended, and whose platform received no 202.
pub(super) fn failed_by_stop(operation: &str) -> StoredFailure {
    internal_failure(format!("The operation was interrupted: the service broker stopped. Its id is {operation}."))
}

pub(super) const TOO_SLOW: &str = "did not finish in time";
pub(super) const CANCELLED_BY_OPERATOR: &str = "was cancelled by an operator";

/// The failure of an operation that was ended, with one of the predicates above.
pub(super) fn failed_too_slow(how: &str, operation: &str) -> StoredFailure {
    internal_failure(format!("The operation {how}. Its id is {operation}."))
}

/// The failure of a create that a deletion has cancelled (S39).
pub(super) fn failed_by_deletion() -> StoredFailure {
    internal_failure("The creation was cancelled by a deletion.")
}

/// Converts a refusal into the failure for the record.
pub(super) fn refused(refusal: &Refusal) -> StoredFailure {
    StoredFailure {
        status: refusal.status.unwrap_or(StatusCode::BAD_REQUEST).as_u16(),
        error: refusal.code.as_deref().map(str::to_owned),
        // Old platforms show only the description (G6).
        description: match refusal.description.trim() {
            "" => "The service broker refused the request without giving a reason.".to_owned(),
            _ => shorten(refusal.description.clone()),
        },
        instance_usable: refusal.instance_usable,
        update_repeatable: refusal.update_repeatable,
    }
}

/// The response to a request whose operation has failed.
pub(super) fn failure_answer(failure: &StoredFailure) -> Answer {
    let status = StatusCode::from_u16(failure.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut answer = Answer::error(status, failure.error.as_deref(), failure.description.clone());
    add_hints(&mut answer, failure);
    answer
}

/// The response to a request that has joined an operation. For it, the instance or binding exists already (PROV-11, BIND-08).
pub(super) fn joined(end: Answer) -> Answer {
    let status = if end.status == StatusCode::CREATED { StatusCode::OK } else { end.status };
    Answer { status, ..end }
}

/// The response to a create that has failed, and whose rollback continues after it, so that it can't be a 4xx (ERR-08).
pub(super) fn before_rollback(failure: &StoredFailure) -> Answer {
    Answer::error(StatusCode::INTERNAL_SERVER_ERROR, None, failure.description.clone())
}

/// Adds the hints for a repeated request (ERR-10, ERR-11).
fn add_hints(answer: &mut Answer, failed: &StoredFailure) {
    for (name, value) in [("instance_usable", failed.instance_usable), ("update_repeatable", failed.update_repeatable)]
    {
        if let Some(value) = value {
            answer.insert(name, value);
        }
    }
}

/// Returns the synchronous response to the request of the newest operation; `None` if the operation is running.
pub(super) fn final_answer(record: &Record) -> Option<Answer> {
    let failure = match (record.status(), record.tombstone()) {
        (Some(status), _) => &status.operation.end.as_ref()?.failure,
        (_, Some(tombstone)) => &tombstone.failure,
        _ => return None,
    };
    if let Some(failure) = failure {
        return Some(failure_answer(failure));
    }
    Some(match (record.instance(), record.binding()) {
        (Some(found), _) => match found.status.operation.kind {
            OperationKind::Create { .. } => instance(StatusCode::CREATED, &found.extras),
            OperationKind::Update(_) | OperationKind::Delete { .. } => instance(StatusCode::OK, &found.extras),
        },
        (_, Some(found)) => Answer::object(StatusCode::CREATED, found.output.clone()),
        _ => Answer::empty(StatusCode::OK),
    })
}

/// 202: the operation continues in the background (ASY-06). For a binding, the body has the operation id only (BIND-10).
pub(super) fn accepted(record: Option<&Record>, operation: &str) -> Answer {
    let kept = record.and_then(Record::instance).filter(|found| !found.status.operation.is_delete());
    let mut answer = match kept {
        Some(found) => instance(StatusCode::ACCEPTED, &found.extras),
        None => Answer::empty(StatusCode::ACCEPTED),
    };
    // The dashboard after a change of plan (UPD-15); the record keeps the old one until the change has succeeded.
    if let Some(OperationKind::Update(change)) = kept.map(|found| &found.status.operation.kind)
        && let Some(url) = &change.dashboard_url
    {
        answer.insert("dashboard_url", url.as_str());
    }
    answer.insert("operation", operation);
    answer
}

/// The progress of an operation, for a poll.
pub(super) enum Progress<'a> {
    Running(Option<&'a str>),
    Ended { is_delete: bool, failure: Option<&'a StoredFailure> },
}

impl<'a> From<&'a OperationRecord> for Progress<'a> {
    fn from(operation: &'a OperationRecord) -> Self {
        match &operation.end {
            None => Self::Running(operation.progress.as_deref()),
            Some(end) => Self::Ended { is_delete: operation.is_delete(), failure: end.failure.as_ref() },
        }
    }
}

/// The response to a poll of an operation (LOI-03, LOB-01).
pub(super) fn progress(progress: &Progress<'_>, settings: &Settings) -> Answer {
    let (state, description) = match progress {
        Progress::Running(text) => ("in progress", *text),
        Progress::Ended { is_delete: true, failure: None } if settings.deleted_poll == DeletedPoll::Gone => {
            return gone();
        }
        Progress::Ended { failure: None, .. } => ("succeeded", None),
        Progress::Ended { failure: Some(failed), .. } => ("failed", Some(failed.description.as_str())),
    };
    let mut answer = Answer::object(StatusCode::OK, json!({ "state": state }));
    if let Some(description) = description.filter(|text| !text.is_empty()) {
        answer.insert("description", shorten(description.to_owned()));
    }
    match (progress, retry_seconds(settings)) {
        (Progress::Ended { failure: Some(failed), .. }, _) => add_hints(&mut answer, failed),
        (Progress::Running(_), seconds @ 1..) => return answer.retry_after(seconds),
        _ => {}
    }
    answer
}

/// A response with the fields of an instance (PROV-16, PROV-18).
pub(super) fn instance(status: StatusCode, extras: &Extras) -> Answer {
    Answer::object(status, extra_fields(extras))
}

/// Returns the fields of an instance that its handlers have set.
pub(super) fn extra_fields(extras: &Extras) -> Members {
    let mut fields = Members::default();
    if let Some(url) = &extras.dashboard_url {
        fields.insert("dashboard_url", url.as_str());
    }
    let mut metadata = Members::default();
    for (name, members) in [("labels", &extras.labels), ("attributes", &extras.attributes)] {
        if !members.is_empty() {
            metadata.insert(name, members.clone());
        }
    }
    if !metadata.is_empty() {
        fields.insert("metadata", metadata);
    }
    fields
}

/// Converts the fields of a binding to the platform's version of the API: `route_service_url` exists since 2.8, volume
/// mounts have their current form since 2.10, and before 2.12 only applications had a `syslog_drain_url` (S33).
pub(super) fn for_version(answer: &mut Answer, version: ApiVersion, application: bool) {
    let Body::Object(fields) = &mut answer.body else { return };
    if version < ApiVersion::new(2, 12) && !application {
        fields.remove("syslog_drain_url");
    }
    if version < ApiVersion::new(2, 8) {
        fields.remove("route_service_url");
    }
    if version < ApiVersion::new(2, 10)
        && let Some(Json::Array(mounts)) = fields.get_mut("volume_mounts")
    {
        for mount in mounts {
            *mount = json!({
                "container_path": &mount["container_dir"],
                "mode": &mount["mode"],
                "private": {
                    "driver": &mount["driver"],
                    "group_id": &mount["device"]["volume_id"],
                    "config": mount["device"].get("mount_config").map(Json::to_string).unwrap_or_default(),
                },
            });
        }
    }
}
