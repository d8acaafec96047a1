//! Provision, fetch and deprovision.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::{
    Lifecycle, RemainingBindings, ResolvedPlan, answers,
    group::Group,
    key,
    mutation::{NewOperation, ResponseMode, Step, Subject},
    note_stale,
    operations::new_id,
    parameters::{decode_parameters, same_parameters},
    transitions::{self, Phase, RequestKind, Transition},
    worker::with_sources,
};
use crate::{
    catalog::Decoded,
    json::{Json, Members, json},
    protocol::{Answer, DeleteResource, GetResource, InstanceId, PutInstance, RequestMeta},
    schema::without_secrets,
    service::Extras,
    store::{Cancelled, InstanceRecord, Key, OperationKind, OperationState, Record},
};

/// A request for a new instance that has been validated.
struct NewInstance {
    resolved: ResolvedPlan,
    response_mode: ResponseMode,
    dashboard_url: Option<String>,
    decoded: Option<Decoded>,
}

impl Lifecycle {
    /// Answers `PUT /v2/service_instances/{id}`.
    pub(crate) async fn provision(self: &Arc<Self>, request: &PutInstance) -> Answer {
        let mut new_instance = self.new_instance(request);
        let decide = |group: &mut Group<'_>, new: &mut NewOperation<'_>| {
            let same = group.instance().is_some_and(|record| self.is_same(record, request));
            let kind = if same { RequestKind::PutSame } else { RequestKind::PutOther };
            match (transitions::instance(kind, group.phase()), group.instance()) {
                (Transition::Run, _) if group.was_deleted() && self.settings.unique_ids => Err(answers::conflict(
                    "A service instance with this id was deleted, and this broker does not allow ids to be reused.",
                )),
                (Transition::Run, _) => match &mut new_instance {
                    Err(answer) => Err(answer.clone()),
                    Ok(instance) => self.begin_provision(group, request, instance, new),
                },
                (Transition::Join, _) => Ok(Step::Join),
                (Transition::Exists, Some(record)) => Err(answers::instance(StatusCode::OK, &record.extras)),
                (Transition::Busy, _) => Err(answers::concurrency()),
                (Transition::Failed, _) => Err(answers::deletion_failed(StatusCode::CONFLICT, "service instance")),
                _ => Err(answers::taken("service instance", group.phase())),
            }
        };
        self.handle_mutation(&key(&request.meta, &request.instance, None), None, &request.meta, decide).await
    }

    /// Claims the id of a new instance.
    fn begin_provision(
        &self,
        group: &mut Group<'_>,
        request: &PutInstance,
        instance: &mut NewInstance,
        new: &mut NewOperation<'_>,
    ) -> Result<Step, Answer> {
        let NewInstance { resolved, response_mode, dashboard_url, decoded } = instance;
        self.enqueue(new, resolved)?;
        // A transaction can run more than once.
        new.decoded = decoded.take().or(new.decoded.take());
        let create = OperationKind::Create { rollback: None };
        let operation = self.operation(new, create, &request.meta, *response_mode, resolved.info);
        group.put(InstanceRecord {
            service_id: resolved.offering.id.into(),
            plan_id: resolved.info.spec.id.into(),
            organization_guid: request.organization_guid.clone(),
            space_guid: request.space_guid.clone(),
            context: request.context.clone(),
            parameters: request.parameters.clone(),
            state: None,
            unfinished: None,
            half_updated: false,
            extras: Extras { dashboard_url: dashboard_url.clone(), ..Extras::default() },
            // A request without a version gets the newest.
            maintenance_version: resolved.info.spec.maintenance.map(|info| info.version.to_owned()),
            status: OperationState { phase: Phase::Creating, operation, cancelled: None, earlier: Vec::new() },
            bindings: 0,
            busy: BTreeMap::new(),
        });
        Ok(Step::Run(*response_mode))
    }

    fn new_instance(&self, request: &PutInstance) -> Result<NewInstance, Answer> {
        let resolved = self.route(&request.service_id, &request.plan_id)?;
        let info = resolved.info;
        if info.spec.retired {
            return Err(answers::bad_request(format!("Plan {:?} takes no new instances.", info.spec.name)));
        }
        if let Some(requested) = &request.maintenance_version
            && info.spec.maintenance.is_none_or(|info| info.version != requested)
        {
            return Err(answers::maintenance_conflict(info, requested));
        }
        let decoded = decode_parameters(info, info.create.as_ref(), &request.parameters)?;
        let response_mode = resolved.response_mode(Subject::Instance, &request.meta)?;
        // The author's function is called before the transaction, which blocks other requests.
        let dashboard_url = dashboard_url(&resolved, &request.meta, &request.instance)?;
        Ok(NewInstance { resolved, response_mode, dashboard_url, decoded })
    }

    /// Returns whether a provision request has the attributes of the instance with its id (T04).
    fn is_same(&self, record: &InstanceRecord, request: &PutInstance) -> bool {
        let create = self.route(&record.service_id, &record.plan_id).ok().and_then(|resolved| resolved.info.create);
        record.service_id == request.service_id
            && record.plan_id == request.plan_id
            && record.organization_guid == request.organization_guid
            && record.space_guid == request.space_guid
            && same_parameters(create.as_ref(), &record.parameters, &request.parameters)
    }

    /// Answers `GET /v2/service_instances/{id}`.
    pub(crate) async fn fetch_instance(&self, request: &GetResource) -> Answer {
        let key = key(&request.meta, &request.instance, None);
        let seen = self.read(&key, |record| {
            let record = record.and_then(Record::instance).ok_or_else(answers::no_instance)?;
            let resolved = self.route_stored(&key, &record.service_id, &record.plan_id)?;
            if !resolved.offering.instances_retrievable {
                return Err(answers::not_found("Instances of this service cannot be fetched."));
            }
            note_stale(&key, "service_id", request.service_id.as_deref(), &record.service_id);
            note_stale(&key, "plan_id", request.plan_id.as_deref(), &record.plan_id);
            match transitions::instance(RequestKind::Get, record.status.phase) {
                Transition::Show => Ok(describe(record, &resolved)),
                Transition::Busy => Err(answers::concurrency()),
                _ => Err(answers::none("service instance", record.status.phase)),
            }
        });
        seen.await.flatten().unwrap_or_else(|answer| answer)
    }

    /// Answers `DELETE /v2/service_instances/{id}`.
    ///
    /// The request's plan is a hint: after a failed change of plan it may be stale (T21).
    pub(crate) async fn deprovision(self: &Arc<Self>, request: &DeleteResource) -> Answer {
        let key = key(&request.meta, &request.instance, None);
        let decide = |group: &mut Group<'_>, new: &mut NewOperation<'_>| {
            let record = group.instance_mut().ok_or_else(answers::gone)?;
            let transition = transitions::instance(RequestKind::Delete, record.status.phase);
            match transition {
                _ if request.malformed.is_some() => return Err(answers::malformed(request)),
                _ if request.service_id != record.service_id => return Err(answers::other_service(request)),
                Transition::Join => return Ok(Step::Join),
                Transition::Busy => return Err(answers::concurrency()),
                _ => {}
            }
            self.check_bindings(record)?;
            note_stale(&key, "plan_id", Some(&request.plan_id), &record.plan_id);
            let resolved = self.route_stored(&key, &record.service_id, &record.plan_id)?;
            let response_mode = resolved.response_mode(Subject::Instance, &request.meta)?;
            self.begin_removal(&mut record.status, transition, new, &request.meta, response_mode, &resolved)
        };
        self.handle_mutation(&key, None, &request.meta, decide).await
    }

    /// Claims an instance or binding for its deletion, and cancels its creation if that is running.
    pub(super) fn begin_removal(
        &self,
        status: &mut OperationState,
        transition: Transition,
        new: &mut NewOperation<'_>,
        meta: &RequestMeta,
        response_mode: ResponseMode,
        resolved: &ResolvedPlan,
    ) -> Result<Step, Answer> {
        let before = if status.phase == Phase::Creating { Phase::CreateFailed } else { status.phase };
        let kind = OperationKind::Delete { before, has_unbound: false };
        let mut operation = self.operation(new, kind, meta, response_mode, resolved.info);
        if transition != Transition::Cancel {
            self.enqueue(new, resolved)?;
            status.phase = Phase::Deleting;
            status.begin(operation);
            return Ok(Step::Run(response_mode));
        }
        // The deletion starts when the create's claim is released or its lease expires: it has no attempt before.
        status.phase = Phase::Deleting;
        // A hook can't refuse it.
        (operation.attempt, operation.lease, operation.admitted) = (0, status.operation.lease, true);
        let cancelled = std::mem::replace(&mut status.operation, operation);
        status.cancelled = Some(Box::new(Cancelled { operation: cancelled, released: false }));
        Ok(Step::Cancel(response_mode))
    }

    /// Refuses a deletion that bindings prevent.
    fn check_bindings(&self, record: &InstanceRecord) -> Result<(), Answer> {
        if !record.busy.is_empty() {
            return Err(answers::concurrency());
        }
        let bindings = match (self.settings.remaining_bindings, record.bindings) {
            (RemainingBindings::Unbind, _) | (_, 0) => return Ok(()),
            (RemainingBindings::Refuse, 1) => "1 service binding; delete it".to_owned(),
            (RemainingBindings::Refuse, count) => format!("{count} service bindings; delete them"),
        };
        Err(answers::unsupported(format!("This service instance has {bindings} first.")))
    }

    /// Finds the plan of an instance or binding. If this release does not have it, logs that, and returns a 500.
    pub(super) fn route_stored(&self, key: &Key, service_id: &str, plan_id: &str) -> Result<ResolvedPlan, Answer> {
        self.route(service_id, plan_id).map_err(|_| {
            let ((tenant, instance, binding), operation) = (key.ids(), &*new_id());
            let why = "this release of the broker doesn't have the plan";
            tracing::error!(tenant, instance, binding, operation, plan_id, "{why}");
            answers::unexpected(operation)
        })
    }
}

/// Returns the dashboard URL for the first response. Logs an error of the author's function.
pub(super) fn dashboard_url(
    resolved: &ResolvedPlan,
    meta: &RequestMeta,
    instance: &InstanceId,
) -> Result<Option<String>, Answer> {
    let url = resolved.plan.dashboard_url(&meta.tenant, instance.as_str()).map_err(|error| {
        let (tenant, instance, operation) = (meta.tenant.non_empty(), instance.as_str(), &*new_id());
        let (request, error) = (meta.request_identity.as_deref(), with_sources(error.as_ref()));
        tracing::error!(tenant, instance, operation, request, error, "dashboard_url failed");
        answers::unexpected(operation)
    })?;
    Ok(url.map(|url| url.as_str().to_owned()))
}

/// The response to a fetch (GETI-04), without secret parameters (GETI-07).
fn describe(record: &InstanceRecord, resolved: &ResolvedPlan) -> Answer {
    #[derive(Serialize)]
    struct Shown<'a> {
        service_id: &'a str,
        plan_id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        parameters: Option<Cow<'a, Value>>,
        #[serde(flatten)]
        extras: Members,
        #[serde(skip_serializing_if = "Option::is_none")]
        maintenance_info: Option<Json>,
    }
    let shown = Shown {
        service_id: &record.service_id,
        plan_id: &record.plan_id,
        parameters: resolved.info.create.map(|create| without_secrets(create.schema, &record.parameters)),
        extras: answers::extra_fields(&record.extras),
        maintenance_info: record.maintenance_version.as_deref().map(|version| json!({ "version": version })),
    };
    // Written at once, because copying the record's values takes longer.
    Answer::serialized(StatusCode::OK, &shown)
}
