//! Handler calls of an operation, built from the record alone, so that another worker can take over.

use std::sync::{Arc, PoisonError};

use tokio::{sync::Semaphore, time::Instant};

use super::{Lifecycle, ProbePoint, ResolvedPlan, Stage, audit::event, clock::within, hooks::BeforeHook};
use crate::{
    failpoint,
    protocol::{BindingId, Context, RequestIdentity},
    service::{
        BindCall, CheckpointError, Common, Journal, Maintained, OperationHandle, ProvisionCall, RemoveCall, Saved,
        Saving, UnbindCall, UpdateCall,
    },
    store::{BindingRecord, Claim, ClaimStatus, OperationKind, OperationRecord, Phase, PlannedUpdate, Record, Subject},
};

/// One attempt at an operation: a handler call, or several if the deletion of an instance cascades to its bindings.
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) run: Run,
}

/// The properties that all handler calls of a job share.
pub(super) struct Run {
    pub(super) handle: Arc<OperationHandle>,
    /// The permits of the service's handlers.
    pub(super) permits: Arc<Semaphore>,
    /// Whether the job rolls back a failed create. A rollback can't be cancelled, and the response does not wait for its
    /// end.
    pub(super) is_undo: bool,
    /// The call of [`Hooks::before`](super::Hooks::before), unless it has admitted the operation.
    pub(super) ask: Option<BeforeHook>,
    /// The identity of the request, for the log.
    pub(super) identity: Option<RequestIdentity>,
}

pub(super) enum Task {
    Provision(ResolvedPlan, ProvisionCall),
    Update(ResolvedPlan, UpdateCall),
    ChangePlan(ResolvedPlan, String, UpdateCall),
    Deprovision(Vec<(BindingId, ResolvedPlan, UnbindCall)>, ResolvedPlan, RemoveCall),
    Bind(ResolvedPlan, BindCall),
    Unbind(ResolvedPlan, UnbindCall),
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
        let Some(status) = record.status_mut(&self.claim.subject) else { return false };
        let operation = match (status.claim_status(&self.claim), &mut status.cancelled) {
            (ClaimStatus::Holds, _) => &mut status.operation,
            (ClaimStatus::Cancelled, Some(cancelled)) => &mut cancelled.operation,
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
    pub(super) fn build_job(self: &Arc<Self>, record: &Record, claim: &Claim) -> Option<Box<Job>> {
        let operation = &record.status(&claim.subject)?.operation;
        let deadline = self.settings.clock.instant(operation.deadline);
        let is_undo = matches!(operation.kind, OperationKind::Create { undo: Some(_) });
        let (handle, task, resolved) = match &claim.subject {
            Subject::Instance => self.instance_job(record, operation, claim, deadline)?,
            Subject::Binding(id) => self.binding_job(record, id, operation, claim, deadline)?,
        };
        let permits = Arc::clone(&self.service(resolved.offering.id)?.permits);
        // A hook can't refuse a rollback, or the deletion that cancels a create.
        let may_be_asked = !operation.admitted && !is_undo && record.status(&claim.subject)?.cancelled.is_none();
        let began = || event(record, &claim.key, &claim.subject, operation, Stage::Began, self.settings.clock.date());
        let ask = if may_be_asked { self.ask(began) } else { None };
        Some(Box::new(Job { task, run: Run { handle, permits, is_undo, ask, identity: operation.identity.clone() } }))
    }

    fn handle(
        self: &Arc<Self>,
        claim: &Claim,
        deadline: Instant,
        earlier: Option<Saved>,
        cascaded: Option<BindingId>,
    ) -> Arc<OperationHandle> {
        let journal = Checkpoints { lifecycle: Arc::clone(self), claim: claim.clone(), cascaded };
        OperationHandle::new(claim.operation.clone(), claim.attempt, deadline, earlier, journal)
    }

    fn instance_job(
        self: &Arc<Self>,
        record: &Record,
        operation: &OperationRecord,
        claim: &Claim,
        deadline: Instant,
    ) -> Option<(Arc<OperationHandle>, Task, ResolvedPlan)> {
        let resolved = self.route(&record.service_id, &record.plan_id).ok()?;
        let mut earlier = operation.checkpoint.clone();
        if let (OperationKind::Update(change), Some((plan, state)), None) =
            (&operation.kind, &record.unfinished, &earlier)
            && *plan == change.plan_id
        {
            earlier = Some(state.clone());
        }
        let handle = self.handle(claim, deadline, earlier, None);
        let common = |context: &Context| Common {
            tenant: claim.key.tenant.clone(),
            instance: claim.key.instance.clone(),
            context: context.clone(),
            origin: operation.origin.clone(),
            handle: Arc::clone(&handle),
        };
        let task = match &operation.kind {
            OperationKind::Create { undo: None } => {
                let parameters = record.parameters.clone();
                Task::Provision(resolved.clone(), ProvisionCall { common: common(&record.context), parameters })
            }
            OperationKind::Update(change) => {
                let context = change.context.as_ref().unwrap_or(&record.context);
                let call = self.update_call(record, change, common(context))?;
                if change.plan_id == record.plan_id {
                    Task::Update(resolved.clone(), call)
                } else {
                    Task::ChangePlan(resolved.clone(), change.plan_id.clone(), call)
                }
            }
            OperationKind::Create { undo: Some(_) } | OperationKind::Delete { .. } => {
                let removable = record.bindings.iter().filter(|(_, binding)| binding.status.phase != Phase::Gone);
                let bindings = removable.map(|(id, binding)| {
                    let resolved = self.route(&binding.service_id, &binding.plan_id).ok()?;
                    let handle = self.handle(claim, deadline, None, Some(id.clone()));
                    let call = unbind_call(record, id, binding, binding.state.clone(), claim, operation, handle);
                    Some((id.clone(), resolved, call))
                });
                let state = operation.checkpoint.clone().or_else(|| record.state.clone());
                let (common, parameters) = (common(&record.context), record.parameters.clone());
                let call = RemoveCall { common, parameters, state };
                Task::Deprovision(bindings.collect::<Option<_>>()?, resolved.clone(), call)
            }
        };
        Some((handle, task, resolved))
    }

    fn update_call(&self, record: &Record, change: &PlannedUpdate, common: Common) -> Option<UpdateCall> {
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
        operation: &OperationRecord,
        claim: &Claim,
        deadline: Instant,
    ) -> Option<(Arc<OperationHandle>, Task, ResolvedPlan)> {
        let binding = record.bindings.get(id)?;
        let resolved = self.route(&binding.service_id, &binding.plan_id).ok()?;
        let handle = self.handle(claim, deadline, operation.checkpoint.clone(), None);
        let task = match &operation.kind {
            OperationKind::Create { undo: None } => {
                let predecessor = binding.predecessor.as_ref().map(|id| {
                    let state = record.bindings.get(id).and_then(|binding| binding.state.clone());
                    (id.clone(), state.unwrap_or_default())
                });
                Task::Bind(
                    resolved.clone(),
                    BindCall {
                        common: Common {
                            tenant: claim.key.tenant.clone(),
                            instance: claim.key.instance.clone(),
                            context: binding.context.clone().unwrap_or_else(|| record.context.clone()),
                            origin: operation.origin.clone(),
                            handle: Arc::clone(&handle),
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
                let call = unbind_call(record, id, binding, state, claim, operation, Arc::clone(&handle));
                Task::Unbind(resolved.clone(), call)
            }
        };
        Some((handle, task, resolved))
    }
}

fn unbind_call(
    record: &Record,
    id: &BindingId,
    binding: &BindingRecord,
    state: Option<Saved>,
    claim: &Claim,
    operation: &OperationRecord,
    handle: Arc<OperationHandle>,
) -> UnbindCall {
    let origin = operation.origin.clone();
    UnbindCall {
        common: Common {
            tenant: claim.key.tenant.clone(),
            instance: claim.key.instance.clone(),
            context: record.context.clone(),
            origin,
            handle,
        },
        binding: id.clone(),
        state,
        instance_state: record.state.clone(),
        parameters: binding.parameters.clone(),
    }
}

impl Run {
    pub(super) fn deadline(&self) -> Instant {
        *self.handle.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn extend(&self, deadline: Instant) {
        *self.handle.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    /// Returns the time of the response if the rollback takes longer; `None` if the job is no rollback.
    pub(super) fn answer_at(&self, cleanup: std::time::Duration) -> Option<Instant> {
        self.is_undo.then(|| within(cleanup))
    }
}
