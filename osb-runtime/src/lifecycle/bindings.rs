//! Bind, fetch, rotate and unbind.

use std::sync::Arc;

use http::StatusCode;
use tokio::time::Instant;

use super::{
    CredentialReads, Lifecycle, ResolvedPlan, answers, binding_key,
    clock::within,
    commit::FIRST_PAUSE,
    group::Group,
    key,
    mutation::{NewOperation, Step, Subject},
    note_stale,
    operations::new_id,
    parameters::{decode_parameters, is_empty, same_parameters},
    transitions::{self, Phase, RequestKind, Transition},
};
use crate::{
    catalog::Decoded,
    json::{LazyObject, Members, SharedValue},
    protocol::{Answer, BindResource, BindingId, Body, DeleteResource, GetResource, PutBinding},
    schema::without_secrets,
    store::{BindingRecord, InstanceRecord, Key, OperationKind, OperationState, Record},
};

/// A request for a new binding that has been validated, with the values that it inherits from its predecessor.
struct NewBinding {
    resolved: ResolvedPlan,
    parameters: SharedValue,
    resource: BindResource,
    context: Option<LazyObject>,
    decoded: Option<Decoded>,
}

impl Lifecycle {
    /// Answers `PUT /v2/service_instances/{id}/service_bindings/{id}`. The response may have credentials that can be read only
    /// once, and have to be [taken](Self::take_credentials).
    pub(crate) async fn bind(self: &Arc<Self>, request: &PutBinding) -> Answer {
        let decide = |group: &mut Group<'_>, new: &mut NewOperation<'_>| {
            let instance = group.instance_phase();
            let same = group.binding().is_some_and(|one| self.is_same_binding(one, group.predecessor(), request));
            let kind = if same { RequestKind::PutSame } else { RequestKind::PutOther };
            match (transitions::binding(kind, group.phase()), group.binding()) {
                (Transition::Run, _) => match transitions::instance(RequestKind::Bind, instance) {
                    Transition::Run => self.begin_bind(group, request, new),
                    Transition::Busy => Err(answers::concurrency()),
                    Transition::Failed => Err(answers::deletion_failed(StatusCode::BAD_REQUEST, "service instance")),
                    _ => Err(answers::none("service instance", instance)),
                },
                (Transition::Join, _) => Ok(Step::Join),
                (Transition::Exists, Some(binding)) if instance != Phase::Deleting => {
                    // A repeated request returns the credentials again (X04).
                    Err(Answer::object(StatusCode::OK, binding.output.clone()))
                }
                (Transition::Busy | Transition::Exists, _) => Err(answers::concurrency()),
                (Transition::Failed, _) => Err(answers::deletion_failed(StatusCode::CONFLICT, "service binding")),
                _ => Err(answers::taken("service binding", group.phase())),
            }
        };
        let key = binding_key(request);
        let mut answer = self.handle_mutation(&key, request.predecessor.as_ref(), &request.meta, decide).await;
        answers::for_version(&mut answer, request.meta.version, request.bind_resource.app_guid.is_some());
        answer
    }

    /// Returns whether a bind request has the attributes of the binding with its id (T04).
    ///
    /// A rotation inherits omitted values from its predecessor, or, if that is deleted, from the stored binding. Another binding
    /// may have the predecessor's id since.
    fn is_same_binding(&self, binding: &BindingRecord, old: Option<&BindingRecord>, request: &PutBinding) -> bool {
        let predecessor = old.filter(|old| old.created <= binding.created).unwrap_or(binding);
        let bind = self.route(&binding.service_id, &binding.plan_id).ok().and_then(|resolved| resolved.info.bind);
        let rotation = request.predecessor.is_some();
        let matches = |id: &Option<String>, stored: &str| id.as_deref().map_or(rotation, |id| id == stored);
        let (parameters, resource) = parameters_and_resource(request, rotation.then_some(predecessor));
        matches(&request.service_id, &binding.service_id)
            && matches(&request.plan_id, &binding.plan_id)
            && binding.predecessor == request.predecessor
            && binding.resource.app_guid == resource.app_guid
            && binding.resource.route == resource.route
            && same_parameters(bind.as_ref(), &binding.parameters, &parameters)
    }

    fn begin_bind(
        &self,
        group: &mut Group<'_>,
        request: &PutBinding,
        new: &mut NewOperation<'_>,
    ) -> Result<Step, Answer> {
        let record = group.instance().ok_or_else(answers::no_instance)?;
        if self.settings.bind_blocks_instance && !record.busy.is_empty() {
            return Err(answers::concurrency());
        }
        if group.was_deleted() && self.settings.unique_ids {
            let existed =
                "A service binding with this id was deleted, and this broker does not allow ids to be reused.";
            return Err(answers::conflict(existed));
        }
        let NewBinding { resolved, parameters, resource, context, decoded } =
            self.new_binding(record, group.predecessor(), request)?;
        let info = resolved.info;
        let response_mode = resolved.response_mode(Subject::NewBinding, &request.meta)?;
        self.enqueue(new, &resolved)?;
        new.decoded = decoded;
        let operation =
            self.operation(new, OperationKind::Create { rollback: None }, &request.meta, response_mode, info);
        group.put(BindingRecord {
            service_id: record.service_id.clone(),
            plan_id: record.plan_id.clone(),
            parameters,
            resource,
            context,
            predecessor: request.predecessor.clone(),
            state: None,
            output: Members::default(),
            read_by: None,
            has_expired: false,
            created: operation.began,
            status: OperationState { phase: Phase::Creating, operation, cancelled: None, earlier: Vec::new() },
        });
        Ok(Step::Run(response_mode))
    }

    fn new_binding(
        &self,
        record: &InstanceRecord,
        predecessor: Option<&BindingRecord>,
        request: &PutBinding,
    ) -> Result<NewBinding, Answer> {
        let is_other = |given: &Option<String>, stored: &str| given.as_deref().is_some_and(|given| given != stored);
        if let Some(given) = request.service_id.as_ref().filter(|_| is_other(&request.service_id, &record.service_id)) {
            return Err(answers::not_of_instance("service_id", given, "The catalog has the services of this broker."));
        }
        let resolved = self.route_stored(&binding_key(request), &record.service_id, &record.plan_id)?;
        let info = resolved.info;
        if let Some(given) = request.plan_id.as_ref().filter(|_| is_other(&request.plan_id, &record.plan_id)) {
            let (name, id) = (info.spec.name, &record.plan_id);
            let remedy = format!("The instance has plan {name:?} ({id}); repeat the request with that plan.");
            return Err(answers::not_of_instance("plan_id", given, &remedy));
        }
        if !info.spec.bindable {
            return Err(answers::bad_request(format!("Instances of plan {:?} cannot be bound.", info.spec.name)));
        }
        let predecessor = match request.predecessor {
            Some(_) => Some(self.check_predecessor(&resolved, predecessor)?),
            None => None,
        };
        let (parameters, resource) = parameters_and_resource(request, predecessor);
        let context = request.context.clone().or_else(|| predecessor?.context.clone());
        if info.spec.requires_app && resource.app_guid.is_none() {
            return Err(answers::requires_app());
        }
        // Parameters that a rotation inherits were valid for the plan of the predecessor.
        let decoded = match predecessor {
            Some(binding) if is_empty(&request.parameters) && binding.plan_id == record.plan_id => None,
            _ => decode_parameters(info, info.bind.as_ref(), &parameters)?,
        };
        Ok(NewBinding { resolved, parameters, resource, context, decoded })
    }

    /// Checks the predecessor of a rotation: a binding of the same instance that has not expired, of a plan with rotation
    /// (ROT-01, ROT-02, T34).
    fn check_predecessor<'a>(
        &self,
        resolved: &ResolvedPlan,
        binding: Option<&'a BindingRecord>,
    ) -> Result<&'a BindingRecord, Answer> {
        let info = resolved.info;
        if !info.spec.rotatable {
            return Err(answers::bad_request(format!("Bindings of plan {:?} cannot be rotated.", info.spec.name)));
        }
        let binding = match binding.map(|binding| (binding.status.phase, binding)) {
            Some((Phase::Ready, binding)) => binding,
            Some((Phase::Deleting | Phase::DeleteFailed, _)) => {
                let deleted = "The deletion of the binding that predecessor_binding_id names has begun or failed; create a \
                               binding without a predecessor.";
                return Err(answers::bad_request(deleted));
            }
            _ => return Err(answers::bad_request("predecessor_binding_id is not a binding of this instance.")),
        };
        let expired =
            "The binding that predecessor_binding_id names has expired; create a binding without a predecessor.";
        let has_expired = binding.expires_at().is_some_and(|expires| expires <= self.settings.date());
        if has_expired { Err(answers::bad_request(expired)) } else { Ok(binding) }
    }

    /// Answers `GET /v2/service_instances/{id}/service_bindings/{id}`.
    pub(crate) async fn fetch_binding(&self, id: &BindingId, request: &GetResource) -> Answer {
        let key = key(&request.meta, &request.instance, Some(id));
        let seen = self.read(&key, |record| {
            let binding = record.and_then(Record::binding).ok_or_else(answers::no_binding)?;
            let resolved = self.route_stored(&key, &binding.service_id, &binding.plan_id)?;
            if !resolved.offering.bindings_retrievable {
                return Err(answers::not_found("Bindings of this service cannot be fetched."));
            }
            // The platform names the plan that the instance has now.
            note_stale(&key, "service_id", request.service_id.as_deref(), &binding.service_id);
            if transitions::binding(RequestKind::Get, binding.status.phase) != Transition::Show {
                return Err(answers::none("service binding", binding.status.phase));
            }
            let mut answer = Answer::object(StatusCode::OK, binding.output.clone());
            if let Some(bind) = &resolved.info.bind {
                answer.insert("parameters", without_secrets(bind.schema, &binding.parameters).into_owned());
            }
            answers::for_version(&mut answer, request.meta.version, binding.resource.app_guid.is_some());
            Ok(answer)
        });
        self.take_credentials(&key, seen.await.flatten().unwrap_or_else(|answer| answer)).await
    }

    /// Removes credentials from the record before the response with them is sent, if they can be read only once (BIND-17).
    /// Of several responses at the same time, one keeps them.
    pub(crate) async fn take_credentials(&self, key: &Key, mut answer: Answer) -> Answer {
        let Body::Object(fields) = &mut answer.body else { return answer };
        if self.settings.credential_reads == CredentialReads::Always || fields.get("credentials").is_none() {
            return answer;
        }
        let (reader, give_up_at) = (new_id(), within(self.settings.sync_deadline));
        let mut pause = FIRST_PAUSE;
        // The store may report an error although they have been taken. Then no other response has them.
        loop {
            let taken = self.transact_one(key, |record| {
                let binding = record.and_then(Record::binding_mut)?;
                // Not those of another binding that has got the id meanwhile.
                if binding.output.get("credentials") == fields.get("credentials") {
                    binding.output.remove("credentials");
                    binding.read_by = Some(reader.to_string());
                }
                Some(binding.read_by.as_deref() == Some(&*reader))
            });
            match taken.await {
                Ok(Some(true)) => return answer,
                Ok(_) => {
                    fields.remove("credentials");
                    return answer;
                }
                Err(_) if Instant::now() + pause >= give_up_at => return answers::no_store(),
                Err(_) => self.pause(&mut pause).await,
            }
        }
    }

    /// Answers `DELETE /v2/service_instances/{id}/service_bindings/{id}`.
    pub(crate) async fn unbind(self: &Arc<Self>, id: &BindingId, request: &DeleteResource) -> Answer {
        let key = key(&request.meta, &request.instance, Some(id));
        let decide = |group: &mut Group<'_>, new: &mut NewOperation<'_>| {
            // Without an instance there is no binding (X16).
            let instance = group.instance_phase();
            // After a change of plan, platforms send the instance's plan, and the binding keeps its own.
            let is_of_instance = group.instance().is_some_and(|instance| *instance.plan_id == *request.plan_id);
            let others = group.instance().is_some_and(|instance| {
                // The creation of a successor needs the state of its predecessor.
                (self.settings.bind_blocks_instance && !instance.busy.is_empty())
                    || instance.busy.values().flatten().any(|predecessor| predecessor == id)
            });
            // Its handler would get the state of a plan that the instance is leaving.
            let changes_plan = group.instance().is_some_and(InstanceRecord::changes_plan);
            let binding = group.binding_mut().ok_or_else(answers::gone)?;
            let transition = transitions::binding(RequestKind::Delete, binding.status.phase);
            match transition {
                _ if request.malformed.is_some() => return Err(answers::malformed(request)),
                _ if request.service_id != binding.service_id => return Err(answers::other_service(request)),
                Transition::Join => return Ok(Step::Join),
                Transition::Cancel => {}
                _ if others || instance == Phase::Deleting => return Err(answers::concurrency()),
                _ if instance == Phase::Updating && (self.settings.bind_blocks_instance || changes_plan) => {
                    return Err(answers::concurrency());
                }
                _ => {}
            }
            if !is_of_instance {
                note_stale(&key, "plan_id", Some(&request.plan_id), &binding.plan_id);
            }
            let resolved = self.route_stored(&key, &binding.service_id, &binding.plan_id)?;
            let response_mode = resolved.response_mode(Subject::OldBinding, &request.meta)?;
            self.begin_removal(&mut binding.status, transition, new, &request.meta, response_mode, &resolved)
        };
        self.handle_mutation(&key, None, &request.meta, decide).await
    }
}

/// Returns the parameters and the resource of a bind. A rotation inherits omitted values from its predecessor (ROT-05).
fn parameters_and_resource(request: &PutBinding, predecessor: Option<&BindingRecord>) -> (SharedValue, BindResource) {
    let parameters = match predecessor {
        Some(predecessor) if is_empty(&request.parameters) => predecessor.parameters.clone(),
        _ => request.parameters.clone(),
    };
    let resource = match predecessor {
        Some(predecessor) if request.bind_resource.fields.is_empty() => &predecessor.resource,
        _ => &request.bind_resource,
    };
    (parameters, resource.clone())
}
