//! Bind, fetch, rotate, unbind.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Value;
use tokio::sync::watch::Receiver;

use super::{
    Lifecycle, Route, answers, check_parameters, not_deleted, note_stale,
    operation::{Claim, Job, Outcome, Step, attend, finished},
    same_parameters,
};
use crate::{
    protocol::{Answer, BindRequest, BindResource, BindingId, DeleteRequest, FetchRequest, InstanceId, RequestMeta},
    schema::without_secrets,
    service::{BindCall, Common, Failure, UnbindCall, WorkHandle},
    store::{BindingRecord, InstanceRecord, Phase},
};

/// A bind that may run.
struct Claimed {
    route: Route,
    instance: InstanceRecord,
    binding: BindingRecord,
    /// The binding to succeed, and what is remembered of it.
    predecessor: Option<(BindingId, Value)>,
}

/// A binding to remove, as it was before.
struct Leaving {
    key: InstanceId,
    id: BindingId,
    instance: InstanceRecord,
    found: BindingRecord,
}

impl Lifecycle {
    /// `PUT /v2/service_instances/{id}/service_bindings/{id}`
    pub(crate) async fn bind(self: &Arc<Self>, request: BindRequest) -> Answer {
        let decided = self
            .decide(&request.instance, |record, claim| {
                let Some(record) = record else { return Step::Answer(answers::no_instance()) };
                if let Some(found) = record.bindings.get(&request.binding) {
                    return self.bind_again(record, found, &request);
                }
                match record.phase {
                    Phase::Ready => {}
                    Phase::CreateFailed => return Step::Answer(answers::no_instance()),
                    _ => return Step::Answer(answers::concurrency()),
                }
                match self.new_binding(record, &request) {
                    Err(answer) => Step::Answer(answer),
                    Ok((route, new)) => {
                        let binding = BindingRecord { phase: Phase::Creating(claim.id()), ..new };
                        let predecessor = binding.predecessor.as_ref().and_then(|id| {
                            let state = record.bindings.get(id)?.state.clone().unwrap_or_default();
                            Some((id.clone(), state))
                        });
                        record.bindings.insert(request.binding.clone(), binding.clone());
                        Step::Run(Claimed { route, instance: record.alone(), binding, predecessor })
                    }
                }
            })
            .await;
        let version = request.meta.version;
        let mut answer = match decided {
            Err(answer) => answer,
            Ok((claim, claimed)) => {
                let work = self.limits.work(claim.id());
                self.run(claim, Arc::clone(self).make_binding(work, claimed, request)).await
            }
        };
        answers::for_version(&mut answer, version);
        answer
    }

    /// A PUT for an id that is taken: the same request again, or another one.
    fn bind_again(&self, instance: &InstanceRecord, found: &BindingRecord, request: &BindRequest) -> Step<Claimed> {
        let bind = self.route(&found.service_id, &found.plan_id).ok().and_then(|route| route.info().bind);
        let rotation = request.predecessor.is_some();
        let given = |id: &Option<String>, stored: &str| id.as_deref().map_or(rotation, |id| id == stored);
        // What a rotation leaves out is its predecessor's, for as long as that is known.
        let predecessor = request.predecessor.as_ref().map(|id| instance.bindings.get(id).unwrap_or(found));
        let (parameters, resource) = asked_for(request, predecessor);
        let same = given(&request.service_id, &found.service_id)
            && given(&request.plan_id, &found.plan_id)
            && found.predecessor == request.predecessor
            && found.resource.app_guid == resource.app_guid
            && found.resource.route == resource.route
            && same_parameters(bind.as_ref(), &found.parameters, &parameters);
        if !same {
            return Step::Answer(answers::conflict("A service binding with this id exists, and it is another one."));
        }
        match (&found.phase, &instance.phase) {
            (Phase::Creating(operation), _) => Step::Join(operation.clone()),
            (Phase::Deleting(_) | Phase::DeleteFailed, _) | (_, Phase::Deleting(_)) => {
                Step::Answer(answers::concurrency())
            }
            (Phase::Ready | Phase::Updating(..), _) => Step::Answer(given_again(found)),
            (Phase::CreateFailed, _) => Step::Answer(answers::conflict(
                "The creation of this service binding failed and left something behind; delete it first.",
            )),
        }
    }

    /// The record of a binding that does not exist yet, if the request is a good one.
    fn new_binding(&self, record: &InstanceRecord, request: &BindRequest) -> Result<(Route, BindingRecord), Answer> {
        for (field, given, stored) in
            [("service_id", &request.service_id, &record.service_id), ("plan_id", &request.plan_id, &record.plan_id)]
        {
            if let Some(given) = given
                && given != stored
            {
                return Err(answers::bad_request(format!("{field} {given:?} is not the one of this instance.")));
            }
        }
        let route = self.route(&record.service_id, &record.plan_id)?;
        let info = route.info();
        if !info.spec.bindable {
            return Err(answers::bad_request(format!("Instances of plan {:?} cannot be bound.", info.spec.name)));
        }
        let predecessor = request.predecessor.as_ref().map(|id| predecessor(&route, record, id)).transpose()?;
        let (parameters, resource) = asked_for(request, predecessor);
        if info.spec.requires_app && resource.app_guid.is_none() {
            return Err(answers::requires_app());
        }
        check_parameters(info, info.bind.as_ref(), &parameters)?;
        let binding = BindingRecord {
            service_id: record.service_id.clone(),
            plan_id: record.plan_id.clone(),
            parameters,
            resource,
            predecessor: request.predecessor.clone(),
            state: None,
            output: serde_json::Map::new(),
            phase: Phase::Ready,
        };
        Ok((route, binding))
    }

    async fn make_binding(self: Arc<Self>, work: Arc<WorkHandle>, claimed: Claimed, request: BindRequest) -> Answer {
        let Claimed { route, instance, binding, predecessor } = claimed;
        let call = BindCall {
            common: Common {
                instance: request.instance.clone(),
                context: request.context.clone().unwrap_or_else(|| instance.context.clone()),
                origin: request.meta.origin.clone(),
                work: Arc::clone(&work),
            },
            binding: request.binding.clone(),
            state: instance.state.clone().unwrap_or_default(),
            instance_parameters: instance.parameters.clone(),
            parameters: binding.parameters.clone(),
            resource: binding.resource.clone(),
            predecessor,
        };
        let Some(handler) = route.plan.bind(call) else {
            self.forget_binding(&request.instance, &request.binding).await;
            return answers::unexpected();
        };
        let outcome = attend(handler, &work, self.limits.grace).await;
        let failure = outcome.failure(&Job { what: "bind", instance: &request.instance, meta: &request.meta });
        let (left_behind, refused) = match outcome {
            Outcome::Done(made) => {
                self.change_binding(&request.instance, &request.binding, |record| {
                    record.phase = Phase::Ready;
                    record.state = Some(made.state.clone());
                    record.output.clone_from(&made.fields);
                })
                .await;
                return Answer::object(StatusCode::CREATED, Value::Object(made.fields));
            }
            Outcome::TooSlow(Some(made)) => (Some(made.state), false),
            Outcome::Failed(Failure::Refused(_)) => (work.saved(), true),
            Outcome::Failed(_) | Outcome::Panicked(_) | Outcome::TooSlow(None) => (work.saved(), false),
        };
        if refused && left_behind.is_none() {
            // The author says no before anything was made.
            self.forget_binding(&request.instance, &request.binding).await;
        } else {
            let left = BindingRecord { state: left_behind, phase: Phase::CreateFailed, ..binding };
            if !self.roll_back_binding(instance, left, &request).await && refused {
                // A 4xx would say that there is nothing to delete (ERR-08).
                return answers::unexpected();
            }
        }
        failure.unwrap_or_else(answers::unexpected)
    }

    /// Removes what a failed bind left behind, as a deletion that a platform's DELETE can join. Whether it is gone.
    async fn roll_back_binding(
        self: &Arc<Self>,
        instance: InstanceRecord,
        found: BindingRecord,
        request: &BindRequest,
    ) -> bool {
        let claim = self.operations.claim();
        self.change_binding(&request.instance, &request.binding, |record| {
            record.phase = Phase::Deleting(claim.id());
            record.state.clone_from(&found.state);
        })
        .await;
        let (key, id) = (request.instance.clone(), request.binding.clone());
        let leaving = Leaving { key, id, instance, found };
        let mut receiver = self.start_unbind(claim, leaving, request.meta.clone());
        // It goes on whether or not this answer waits for it.
        let ended = tokio::time::timeout(self.limits.cleanup, finished(&mut receiver)).await;
        ended.is_ok_and(|answer| answer.status == StatusCode::OK)
    }

    /// `GET /v2/service_instances/{id}/service_bindings/{id}`
    pub(crate) async fn fetch_binding(&self, request: FetchRequest) -> Answer {
        let Some(id) = &request.binding else { return no_binding() };
        let found = self
            .see(&request.instance, |record| record.as_ref().and_then(|record| record.bindings.get(id).cloned()))
            .await;
        let Some(found) = found else { return no_binding() };
        let Ok(route) = self.route(&found.service_id, &found.plan_id) else { return no_binding() };
        if !route.offering.bindings_retrievable {
            return answers::not_found("Bindings of this service cannot be fetched.");
        }
        match found.phase {
            Phase::Ready | Phase::Updating(..) | Phase::DeleteFailed => {
                let mut answer = Answer::object(StatusCode::OK, Value::Object(found.output));
                if let Some(bind) = &route.info().bind {
                    answer.insert("parameters", without_secrets(bind.schema, &found.parameters));
                }
                answer
            }
            Phase::Creating(_) | Phase::CreateFailed | Phase::Deleting(_) => no_binding(),
        }
    }

    /// `DELETE /v2/service_instances/{id}/service_bindings/{id}`
    pub(crate) async fn unbind(self: &Arc<Self>, request: DeleteRequest) -> Answer {
        let Some(id) = request.binding.clone() else { return answers::gone() };
        let decided = self
            .decide(&request.instance, |record, claim| {
                let Some(record) = record else { return Step::Answer(answers::gone()) };
                let instance_is_going = matches!(record.phase, Phase::Deleting(_));
                let instance = record.alone();
                let Some(found) = record.bindings.get_mut(&id) else { return Step::Answer(answers::gone()) };
                if let Some(malformed) = &request.malformed {
                    return Step::Answer(malformed.answer());
                }
                match &found.phase {
                    Phase::Deleting(running) => Step::Join(running.clone()),
                    Phase::Creating(_) => Step::Answer(answers::concurrency()),
                    _ if instance_is_going => Step::Answer(answers::concurrency()),
                    _ => {
                        let before = found.clone();
                        found.phase = Phase::Deleting(claim.id());
                        Step::Run((instance, before))
                    }
                }
            })
            .await;
        match decided {
            Err(answer) => answer,
            Ok((claim, (instance, found))) => {
                note_stale(&request.instance, "service_id", &request.service_id, &found.service_id);
                note_stale(&request.instance, "plan_id", &request.plan_id, &found.plan_id);
                let leaving = Leaving { key: request.instance, id, instance, found };
                finished(&mut self.start_unbind(claim, leaving, request.meta)).await
            }
        }
    }

    /// Removes a binding that is claimed for it.
    fn start_unbind(self: &Arc<Self>, claim: Claim, leaving: Leaving, meta: RequestMeta) -> Receiver<Option<Answer>> {
        let (this, work) = (Arc::clone(self), self.limits.work(claim.id()));
        self.start(claim, async move {
            let Leaving { key, id, instance, found } = leaving;
            match this.remove_binding(work, &key, &id, &instance, &found, &meta).await {
                Ok(()) => Answer::empty(StatusCode::OK),
                Err(answer) => answer,
            }
        })
    }

    /// Removes a binding that `found` shows as it was before. If that fails, the record says how it is left.
    pub(super) async fn remove_binding(
        &self,
        work: Arc<WorkHandle>,
        key: &InstanceId,
        id: &BindingId,
        instance: &InstanceRecord,
        found: &BindingRecord,
        meta: &RequestMeta,
    ) -> Result<(), Answer> {
        let removed = self.run_unbind(&work, key, id, instance, found, meta).await;
        match &removed {
            Ok(()) => self.forget_binding(key, id).await,
            Err(answer) => {
                self.change_binding(key, id, |record| {
                    record.phase = not_deleted(&found.phase, answer);
                    record.state = work.saved().or(record.state.take());
                })
                .await;
            }
        }
        removed
    }

    /// Runs the author's unbind.
    async fn run_unbind(
        &self,
        work: &Arc<WorkHandle>,
        key: &InstanceId,
        id: &BindingId,
        instance: &InstanceRecord,
        found: &BindingRecord,
        meta: &RequestMeta,
    ) -> Result<(), Answer> {
        let route = self.route(&found.service_id, &found.plan_id)?;
        let call = UnbindCall {
            common: Common {
                instance: key.clone(),
                context: instance.context.clone(),
                origin: meta.origin.clone(),
                work: Arc::clone(work),
            },
            binding: id.clone(),
            state: found.state.clone(),
            instance_state: instance.state.clone(),
            parameters: found.parameters.clone(),
        };
        // A plan that is no longer bindable has nothing that could remove its bindings.
        let Some(handler) = route.plan.unbind(call) else { return Ok(()) };
        let outcome = attend(handler, work, self.limits.grace).await;
        match outcome.failure(&Job { what: "unbind", instance: key, meta }) {
            Some(answer) if !matches!(outcome, Outcome::TooSlow(Some(()))) => Err(answer),
            _ => Ok(()),
        }
    }

    async fn forget_binding(&self, instance: &InstanceId, binding: &BindingId) {
        self.store
            .transact(instance, |record| record.as_mut().and_then(|record| record.bindings.remove(binding)))
            .await;
    }

    async fn change_binding(&self, instance: &InstanceId, binding: &BindingId, change: impl Fn(&mut BindingRecord)) {
        self.store
            .transact(instance, |record| {
                if let Some(found) = record.as_mut().and_then(|record| record.bindings.get_mut(binding)) {
                    change(found);
                }
            })
            .await;
    }
}

/// The same again: what the binding gives, which may be asked for any number of times (X04).
fn given_again(found: &BindingRecord) -> Answer {
    Answer::object(StatusCode::OK, Value::Object(found.output.clone()))
}

/// The parameters and the resource of a bind. A rotation may leave out what its predecessor has (ROT-05).
fn asked_for(request: &BindRequest, predecessor: Option<&BindingRecord>) -> (Value, BindResource) {
    let parameters = match predecessor {
        Some(predecessor) if request.parameters.is_empty() => predecessor.parameters.clone(),
        _ => Value::Object(request.parameters.clone()),
    };
    let resource = match predecessor {
        Some(predecessor) if request.bind_resource.fields.is_empty() => &predecessor.resource,
        _ => &request.bind_resource,
    };
    (parameters, resource.clone())
}

fn no_binding() -> Answer {
    answers::not_found("There is no such service binding.")
}

/// The binding that a rotation succeeds: one of the same instance, of a plan that allows it (ROT-01, ROT-02, T34).
fn predecessor<'a>(route: &Route, record: &'a InstanceRecord, id: &BindingId) -> Result<&'a BindingRecord, Answer> {
    let info = route.info();
    if !info.spec.rotatable {
        return Err(answers::bad_request(format!("Bindings of plan {:?} cannot be rotated.", info.spec.name)));
    }
    match record.bindings.get(id) {
        Some(binding) if binding.phase == Phase::Ready => Ok(binding),
        _ => Err(answers::bad_request("predecessor_binding_id is not a binding of this instance.")),
    }
}
