//! Provision, fetch, deprovision.

use std::{collections::HashMap, sync::Arc};

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    Lifecycle, Route, answers, check_parameters, not_deleted, note_stale,
    operation::{Job, Outcome, Step, attend, finished},
    same_parameters,
};
use crate::{
    protocol::{Answer, DeleteRequest, FetchRequest, InstanceId, ProvisionRequest, RequestMeta},
    schema::without_secrets,
    service::{Common, Failure, MadeInstance, ProvisionCall, RemoveCall, WorkHandle},
    store::{InstanceRecord, Phase},
};

impl Lifecycle {
    /// `PUT /v2/service_instances/{id}`
    pub(crate) async fn provision(self: &Arc<Self>, request: ProvisionRequest) -> Answer {
        let fresh = self.new_instance(&request);
        let decided = self
            .decide(&request.instance, |record, claim| match record {
                Some(record) => self.provision_again(record, &request),
                None => match &fresh {
                    Ok((route, new)) => {
                        let phase = Phase::Creating(claim.id());
                        *record = Some(InstanceRecord { phase, ..new.clone() });
                        Step::Run(route.clone())
                    }
                    Err(answer) => Step::Answer(answer.clone()),
                },
            })
            .await;
        match decided {
            Err(answer) => answer,
            Ok((claim, route)) => {
                let work = self.limits.work(claim.id());
                self.run(claim, Arc::clone(self).create(work, route, request)).await
            }
        }
    }

    /// The record of an instance that does not exist yet, if the request is a good one.
    fn new_instance(&self, request: &ProvisionRequest) -> Result<(Route, InstanceRecord), Answer> {
        let route = self.route(&request.service_id, &request.plan_id)?;
        let info = route.info();
        if info.spec.retired {
            return Err(answers::bad_request(format!("Plan {:?} takes no new instances.", info.spec.name)));
        }
        if let Some(requested) = &request.maintenance_version
            && info.spec.maintenance.is_none_or(|info| info.version != requested)
        {
            return Err(answers::maintenance_conflict(info, requested));
        }
        let parameters = Value::Object(request.parameters.clone());
        check_parameters(info, info.create.as_ref(), &parameters)?;
        let record = InstanceRecord {
            service_id: request.service_id.clone(),
            plan_id: request.plan_id.clone(),
            organization_guid: request.organization_guid.clone(),
            space_guid: request.space_guid.clone(),
            context: request.context.clone(),
            parameters,
            state: None,
            extras: crate::service::Extras::default(),
            // A platform that names no version gets the newest.
            maintenance_version: info.spec.maintenance.map(|info| info.version.to_owned()),
            phase: Phase::Ready,
            bindings: HashMap::new(),
        };
        Ok((route, record))
    }

    /// A PUT for an id that is taken: the same request again, or another one.
    fn provision_again(&self, record: &InstanceRecord, request: &ProvisionRequest) -> Step<Route> {
        let create = self.route(&record.service_id, &record.plan_id).ok().and_then(|route| route.info().create);
        let same = record.service_id == request.service_id
            && record.plan_id == request.plan_id
            && record.organization_guid == request.organization_guid
            && record.space_guid == request.space_guid
            && same_parameters(create.as_ref(), &record.parameters, &Value::Object(request.parameters.clone()));
        if !same {
            return Step::Answer(answers::conflict("A service instance with this id exists, and it is another one."));
        }
        match &record.phase {
            Phase::Creating(operation) => Step::Join(operation.clone()),
            Phase::Ready | Phase::Updating(..) => Step::Answer(answers::instance(StatusCode::OK, &record.extras)),
            Phase::CreateFailed => Step::Answer(answers::conflict(
                "The creation of this service instance failed and left something behind; delete it first.",
            )),
            Phase::Deleting(_) | Phase::DeleteFailed => Step::Answer(answers::concurrency()),
        }
    }

    async fn create(self: Arc<Self>, work: Arc<WorkHandle>, route: Route, request: ProvisionRequest) -> Answer {
        let instance = request.instance;
        let call = ProvisionCall {
            common: Common {
                instance: instance.clone(),
                context: request.context,
                origin: request.meta.origin.clone(),
                work: Arc::clone(&work),
            },
            parameters: Value::Object(request.parameters),
        };
        let outcome = attend(route.plan.provision(call), &work, self.limits.grace).await;
        let failure = outcome.failure(&Job { what: "provision", instance: &instance, meta: &request.meta });
        let (left_behind, refused) = match outcome {
            Outcome::Done(made) => return self.created(&instance, made).await,
            Outcome::TooSlow(Some(made)) => (Some(made.state), false),
            Outcome::Failed(Failure::Refused(_)) => (work.saved(), true),
            Outcome::Failed(_) | Outcome::Panicked(_) | Outcome::TooSlow(None) => (work.saved(), false),
        };
        if refused && left_behind.is_none() {
            // The author says no before anything was made.
            self.store.transact(&instance, |record| *record = None).await;
        } else if !self.roll_back(&instance, left_behind, &request.meta).await && refused {
            // A 4xx would say that there is nothing to delete (ERR-08).
            return answers::unexpected();
        }
        failure.unwrap_or_else(answers::unexpected)
    }

    async fn created(&self, instance: &InstanceId, made: MadeInstance) -> Answer {
        self.store
            .transact(instance, |record| {
                if let Some(record) = record {
                    record.phase = Phase::Ready;
                    record.state = Some(made.state.clone());
                    record.extras = made.extras.clone();
                }
            })
            .await;
        answers::instance(StatusCode::CREATED, &made.extras)
    }

    /// Removes what a failed create left behind, as a deletion that a platform's DELETE can join. Whether it is gone.
    async fn roll_back(self: &Arc<Self>, instance: &InstanceId, state: Option<Value>, meta: &RequestMeta) -> bool {
        let claim = self.operations.claim();
        let record = self
            .store
            .transact(instance, |record| {
                let record = record.as_mut()?;
                record.phase = Phase::Deleting(claim.id());
                record.state.clone_from(&state);
                Some(record.clone())
            })
            .await;
        let Some(record) = record else { return true };
        let (this, id) = (Arc::clone(self), claim.id());
        let (instance, meta) = (instance.clone(), meta.clone());
        let work = async move { this.remove(id, &instance, record, &meta, Phase::CreateFailed).await };
        let mut receiver = self.start(claim, work);
        // It goes on whether or not this answer waits for it.
        let ended = tokio::time::timeout(self.limits.cleanup, finished(&mut receiver)).await;
        ended.is_ok_and(|answer| answer.status == StatusCode::OK)
    }

    /// `GET /v2/service_instances/{id}`
    pub(crate) async fn fetch_instance(&self, request: FetchRequest) -> Answer {
        let record = self.see(&request.instance, |record| record.as_ref().map(InstanceRecord::alone)).await;
        let Some(record) = record else { return answers::no_instance() };
        match record.phase {
            Phase::Creating(_) | Phase::CreateFailed => answers::no_instance(),
            Phase::Updating(..) | Phase::Deleting(_) => answers::concurrency(),
            Phase::Ready | Phase::DeleteFailed => self.describe(&record),
        }
    }

    /// GETI-04; secret parameters are left out (GETI-07).
    fn describe(&self, record: &InstanceRecord) -> Answer {
        let Ok(route) = self.route(&record.service_id, &record.plan_id) else { return answers::no_instance() };
        if !route.offering.instances_retrievable {
            return answers::not_found("Instances of this service cannot be fetched.");
        }
        let mut answer =
            Answer::object(StatusCode::OK, json!({ "service_id": record.service_id, "plan_id": record.plan_id }));
        if let Some(create) = &route.info().create {
            answer.insert("parameters", without_secrets(create.schema, &record.parameters));
        }
        answers::add_extras(&mut answer, &record.extras);
        if let Some(version) = &record.maintenance_version {
            answer.insert("maintenance_info", json!({ "version": version }));
        }
        answer
    }

    /// `DELETE /v2/service_instances/{id}`
    ///
    /// The request's service and plan are hints: after a plan change that failed half-way they may be stale (T21).
    pub(crate) async fn deprovision(self: &Arc<Self>, request: DeleteRequest) -> Answer {
        let decided = self
            .decide(&request.instance, |record, claim| {
                let Some(record) = record else { return Step::Answer(answers::gone()) };
                if let Some(malformed) = &request.malformed {
                    return Step::Answer(malformed.answer());
                }
                let busy = |phase: &Phase| matches!(phase, Phase::Creating(_) | Phase::Deleting(_));
                match &record.phase {
                    Phase::Deleting(running) => Step::Join(running.clone()),
                    Phase::Creating(_) | Phase::Updating(..) => Step::Answer(answers::concurrency()),
                    _ if record.bindings.values().any(|binding| busy(&binding.phase)) => {
                        Step::Answer(answers::concurrency())
                    }
                    Phase::Ready | Phase::CreateFailed | Phase::DeleteFailed => {
                        let before = std::mem::replace(&mut record.phase, Phase::Deleting(claim.id()));
                        Step::Run((record.clone(), before))
                    }
                }
            })
            .await;
        match decided {
            Err(answer) => answer,
            Ok((claim, (record, before))) => {
                note_stale(&request.instance, "service_id", &request.service_id, &record.service_id);
                note_stale(&request.instance, "plan_id", &request.plan_id, &record.plan_id);
                let (this, id) = (Arc::clone(self), claim.id());
                let work = async move { this.remove(id, &request.instance, record, &request.meta, before).await };
                self.run(claim, work).await
            }
        }
    }

    /// Removes an instance that is claimed for it, its bindings first (T22), all within one deadline: what is left
    /// then is there for the next attempt.
    async fn remove(
        self: &Arc<Self>,
        operation: String,
        instance: &InstanceId,
        record: InstanceRecord,
        meta: &RequestMeta,
        before: Phase,
    ) -> Answer {
        let until = self.limits.until();
        for (binding, found) in &record.bindings {
            let work = WorkHandle::new(operation.clone(), until);
            if let Err(answer) = self.remove_binding(work, instance, binding, &record, found, meta).await {
                self.kept(instance, not_deleted(&before, &answer), None).await;
                return answer;
            }
        }
        let Ok(route) = self.route(&record.service_id, &record.plan_id) else {
            self.kept(instance, before, None).await;
            return answers::unexpected();
        };
        let work = WorkHandle::new(operation, until);
        let call = RemoveCall {
            common: Common {
                instance: instance.clone(),
                context: record.context,
                origin: meta.origin.clone(),
                work: Arc::clone(&work),
            },
            parameters: record.parameters,
            state: record.state,
        };
        let outcome = attend(route.plan.deprovision(call), &work, self.limits.grace).await;
        let failure = outcome.failure(&Job { what: "deprovision", instance, meta });
        // Also when it came to its end just after the deadline: what is gone is gone.
        if matches!(outcome, Outcome::Done(()) | Outcome::TooSlow(Some(()))) {
            self.store.transact(instance, |record| *record = None).await;
            return Answer::empty(StatusCode::OK);
        }
        let answer = failure.unwrap_or_else(answers::unexpected);
        self.kept(instance, not_deleted(&before, &answer), work.saved()).await;
        answer
    }

    /// An instance that could not be deleted, with the state that its handler saved.
    async fn kept(&self, instance: &InstanceId, phase: Phase, state: Option<Value>) {
        self.store
            .transact(instance, |record| {
                if let Some(record) = record {
                    record.phase = phase.clone();
                    record.state = state.clone().or(record.state.take());
                }
            })
            .await;
    }
}
