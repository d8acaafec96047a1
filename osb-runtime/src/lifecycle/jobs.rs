//! Handler calls of an operation, built from the record alone, so that another worker can take over.

use std::sync::{Arc, PoisonError};

use tokio::{sync::Semaphore, time::Instant};

use super::{Lifecycle, ProbePoint, Route, Stage, audit::event, clock::within, hooks::Ask};
use crate::{
    failpoint,
    protocol::{BindingId, Context, RequestIdentity},
    service::{
        BindCall, CheckpointError, Common, Journal, Maintained, ProvisionCall, RemoveCall, Saved, Saving, UnbindCall,
        UpdateCall, WorkHandle,
    },
    store::{BindingRecord, Change, Claim, Fence, Kind, Operation, Phase, Place, Record},
};

/// One attempt at an operation: a handler call, or several if the deletion of an instance cascades to its bindings.
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) run: Run,
}

/// The properties that all handler calls of a job share.
pub(super) struct Run {
    pub(super) work: Arc<WorkHandle>,
    /// The permits of the service's handlers.
    pub(super) room: Arc<Semaphore>,
    /// Whether the job rolls back a failed create. A rollback can't be cancelled, and the response does not wait for its
    /// end.
    pub(super) is_undo: bool,
    /// The call of [`Hooks::before`](super::Hooks::before), unless it has admitted the operation.
    pub(super) ask: Option<Ask>,
    /// The identity of the request, for the log.
    pub(super) identity: Option<RequestIdentity>,
}

pub(super) enum Task {
    Provision(Route, ProvisionCall),
    Update(Route, UpdateCall),
    ChangePlan(Route, String, UpdateCall),
    Deprovision(Vec<(BindingId, Route, UnbindCall)>, Route, RemoveCall),
    Bind(Route, BindCall),
    Unbind(Route, UnbindCall),
}

impl Task {
    /// Returns the name of the handler for the log.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Provision(..) => "provision",
            Self::Update(..) | Self::ChangePlan(..) => "update",
            Self::Deprovision(..) => "deprovision",
            Self::Bind(..) => "bind",
            Self::Unbind(..) => "unbind",
        }
    }
}

/// The checkpoints of one handler call. They are saved as long as the claim is valid.
struct Checkpoints {
    lifecycle: Arc<Lifecycle>,
    claim: Claim,
    /// The binding, if the deletion of its instance cascades to it.
    cascaded: Option<BindingId>,
}

impl Journal for Checkpoints {
    fn save(&self, state: Saved) -> Saving<'_> {
        Box::pin(async move {
            let probe = self.lifecycle.settings.probe.as_deref();
            if let Some(probe) = probe {
                probe.reached(ProbePoint::SavingCheckpoint).await;
            }
            let saved = self.lifecycle.transact(&self.claim.key, |record| self.write(record, &state)).await;
            failpoint::reach("checkpoint.saved");
            if let Some(probe) = probe {
                probe.reached(ProbePoint::SavedCheckpoint).await;
            }
            match saved {
                Ok(true) => Ok(()),
                Ok(false) => Err(CheckpointError(
                    "this attempt no longer holds the claim on the operation; stop without further changes".to_owned(),
                )),
                Err(error) => Err(CheckpointError(error.to_string())),
            }
        })
    }
}

impl Checkpoints {
    fn write(&self, record: &mut Option<Record>, state: &Saved) -> bool {
        let Some(record) = record else { return false };
        let Some(life) = record.life_mut(&self.claim.place) else { return false };
        let operation = match (life.fence(&self.claim), &mut life.cancelled) {
            (Fence::Holds, _) => &mut life.operation,
            (Fence::Cancelled, Some(cancelled)) => &mut cancelled.operation,
            _ => return false,
        };
        match &self.cascaded {
            None => operation.checkpoint = Some(state.clone()),
            Some(id) => {
                let Some(binding) = record.bindings.get_mut(id) else { return false };
                binding.state = Some(state.clone());
            }
        }
        true
    }
}

impl Lifecycle {
    /// Builds the job of a claimed operation. Returns `None` if the broker no longer has the plan.
    pub(super) fn job(self: &Arc<Self>, record: &Record, claim: &Claim) -> Option<Box<Job>> {
        let operation = &record.life(&claim.place)?.operation;
        let deadline = self.settings.clock.instant(operation.deadline);
        let is_undo = matches!(operation.kind, Kind::Create { undo: Some(_) });
        let (work, task, route) = match &claim.place {
            Place::Instance => self.instance_job(record, operation, claim, deadline)?,
            Place::Binding(id) => self.binding_job(record, id, operation, claim, deadline)?,
        };
        let room = Arc::clone(&self.service(route.offering.id)?.room);
        // A hook can't refuse a rollback, or the deletion that cancels a create.
        let may_be_asked = !operation.admitted && !is_undo && record.life(&claim.place)?.cancelled.is_none();
        let began =
            || event(record, &claim.key, &claim.place, operation, Stage::Began, self.settings.clock.now().into());
        let ask = if may_be_asked { self.ask(began) } else { None };
        Some(Box::new(Job { task, run: Run { work, room, is_undo, ask, identity: operation.identity.clone() } }))
    }

    fn work(
        self: &Arc<Self>,
        claim: &Claim,
        deadline: Instant,
        earlier: Option<Saved>,
        cascaded: Option<BindingId>,
    ) -> Arc<WorkHandle> {
        let journal = Checkpoints { lifecycle: Arc::clone(self), claim: claim.clone(), cascaded };
        WorkHandle::new(claim.operation.clone(), claim.attempt, deadline, earlier, journal)
    }

    fn instance_job(
        self: &Arc<Self>,
        record: &Record,
        operation: &Operation,
        claim: &Claim,
        deadline: Instant,
    ) -> Option<(Arc<WorkHandle>, Task, Route)> {
        let route = self.route(&record.service_id, &record.plan_id).ok()?;
        let mut earlier = operation.checkpoint.clone();
        if let (Kind::Update(change), Some((plan, state)), None) = (&operation.kind, &record.unfinished, &earlier)
            && *plan == change.plan_id
        {
            earlier = Some(state.clone());
        }
        let work = self.work(claim, deadline, earlier, None);
        let common = |context: &Context| Common {
            tenant: claim.key.tenant.clone(),
            instance: claim.key.instance.clone(),
            context: context.clone(),
            origin: operation.origin.clone(),
            work: Arc::clone(&work),
        };
        let task = match &operation.kind {
            Kind::Create { undo: None } => {
                let parameters = record.parameters.clone();
                Task::Provision(route.clone(), ProvisionCall { common: common(&record.context), parameters })
            }
            Kind::Update(change) => {
                let context = change.context.as_ref().unwrap_or(&record.context);
                let call = self.update_call(record, change, common(context))?;
                if change.plan_id == record.plan_id {
                    Task::Update(route.clone(), call)
                } else {
                    Task::ChangePlan(route.clone(), change.plan_id.clone(), call)
                }
            }
            Kind::Create { undo: Some(_) } | Kind::Delete { .. } => {
                let removable = record.bindings.iter().filter(|(_, binding)| binding.life.phase != Phase::Gone);
                let bindings = removable.map(|(id, binding)| {
                    let route = self.route(&binding.service_id, &binding.plan_id).ok()?;
                    let work = self.work(claim, deadline, None, Some(id.clone()));
                    let call = unbind_call(record, id, binding, binding.state.clone(), claim, operation, work);
                    Some((id.clone(), route, call))
                });
                let state = operation.checkpoint.clone().or_else(|| record.state.clone());
                let (common, parameters) = (common(&record.context), record.parameters.clone());
                let call = RemoveCall { common, parameters, state };
                Task::Deprovision(bindings.collect::<Option<_>>()?, route.clone(), call)
            }
        };
        Some((work, task, route))
    }

    fn update_call(&self, record: &Record, change: &Change, common: Common) -> Option<UpdateCall> {
        let to = self.route(&record.service_id, &change.plan_id).ok()?;
        let maintenance = to.info().spec.maintenance.filter(|_| change.maintenance);
        Some(UpdateCall {
            common,
            state: record.state.clone().unwrap_or_default(),
            changes: change.changes.clone(),
            before: record.parameters.clone(),
            after: change.after.clone(),
            maintenance: maintenance.map(|to| Maintained { from: record.maintenance_version.clone(), to }),
        })
    }

    fn binding_job(
        self: &Arc<Self>,
        record: &Record,
        id: &BindingId,
        operation: &Operation,
        claim: &Claim,
        deadline: Instant,
    ) -> Option<(Arc<WorkHandle>, Task, Route)> {
        let binding = record.bindings.get(id)?;
        let route = self.route(&binding.service_id, &binding.plan_id).ok()?;
        let work = self.work(claim, deadline, operation.checkpoint.clone(), None);
        let task = match &operation.kind {
            Kind::Create { undo: None } => {
                let predecessor = binding.predecessor.as_ref().map(|id| {
                    let state = record.bindings.get(id).and_then(|binding| binding.state.clone());
                    (id.clone(), state.unwrap_or_default())
                });
                Task::Bind(
                    route.clone(),
                    BindCall {
                        common: Common {
                            tenant: claim.key.tenant.clone(),
                            instance: claim.key.instance.clone(),
                            context: binding.context.clone().unwrap_or_else(|| record.context.clone()),
                            origin: operation.origin.clone(),
                            work: Arc::clone(&work),
                        },
                        binding: id.clone(),
                        state: record.state.clone().unwrap_or_default(),
                        instance_parameters: record.parameters.clone(),
                        parameters: binding.parameters.clone(),
                        resource: binding.resource.clone(),
                        predecessor,
                    },
                )
            }
            _ => {
                let state = operation.checkpoint.clone().or_else(|| binding.state.clone());
                let call = unbind_call(record, id, binding, state, claim, operation, Arc::clone(&work));
                Task::Unbind(route.clone(), call)
            }
        };
        Some((work, task, route))
    }
}

fn unbind_call(
    record: &Record,
    id: &BindingId,
    binding: &BindingRecord,
    state: Option<Saved>,
    claim: &Claim,
    operation: &Operation,
    work: Arc<WorkHandle>,
) -> UnbindCall {
    let origin = operation.origin.clone();
    UnbindCall {
        common: Common {
            tenant: claim.key.tenant.clone(),
            instance: claim.key.instance.clone(),
            context: record.context.clone(),
            origin,
            work,
        },
        binding: id.clone(),
        state,
        instance_state: record.state.clone(),
        parameters: binding.parameters.clone(),
    }
}

impl Run {
    pub(super) fn deadline(&self) -> Instant {
        *self.work.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn extend(&self, deadline: Instant) {
        *self.work.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Returns the time of the response if the rollback takes longer; `None` if the job is no rollback.
    pub(super) fn answer_at(&self, cleanup: std::time::Duration) -> Option<Instant> {
        self.is_undo.then(|| within(cleanup))
    }
}
