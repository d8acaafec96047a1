//! Handler calls of an operation, built from the record alone, so that another worker can take over.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Notify, Semaphore},
    time::Instant,
};

use super::{
    Event, Lifecycle, ResolvedPlan, Stage,
    awaited::Awaited,
    checkpoints::Checkpoints,
    clock::within,
    events::event,
    group::Group,
    hooks::BeforeHook,
    watch::{CancelReason, EndOfWatch},
};
use crate::{
    catalog::{Decoded, PlanInfo},
    json::{LazyObject, Shared},
    protocol::{RequestIdentity, TraceParent},
    service::{
        BindCall, Common, DeprovisionCall, MaintenanceUpgrade, OperationHandle, ProvisionCall, StateJson, UnbindCall,
        UnfinishedChange, UpdateCall,
    },
    store::{
        BindingRecord, Claim, InstanceRecord, OperationKind, OperationRecord, PlannedUpdate, StoredFailure, Timestamp,
    },
};

/// The work of one attempt: a handler call, or several if the deletion of an instance cascades to its bindings.
pub(super) struct Job {
    pub(super) resolved: ResolvedPlan,
    pub(super) call: HandlerCall,
    /// The call of [`Hooks::before`](super::Hooks::before), unless it has admitted the operation.
    pub(super) before_hook: Option<Box<BeforeHook>>,
    pub(super) attempt: EndOfWatch,
}

/// One attempt at an operation: what its handler calls and its watch share.
pub(super) struct Attempt {
    pub(super) claim: Claim,
    pub(super) handle: Arc<OperationHandle>,
    /// The deadline in the record when the attempt began.
    pub(super) stored_deadline: Timestamp,
    /// The permits of the service's handlers.
    pub(super) permits: Arc<Semaphore>,
    /// The time until which the claim is known to be held. A handler is not called after it.
    pub(super) held_until: Awaited<Instant>,
    /// A rollback can't be cancelled, and the response does not wait for its end.
    pub(super) rollback: Option<Rollback>,
    /// The number of earlier attempts that failed with a temporary error.
    pub(super) temporary_failures: u32,
    /// The identity of the request, for the log.
    pub(super) identity: Option<RequestIdentity>,
    /// The reason why the watch has cancelled the handler.
    pub(super) cancel_reason: OnceLock<CancelReason>,
    /// Notified when the handler has to be dropped.
    pub(super) aborted: Notify,
    pub(super) has_begun: AtomicBool,
    pub(super) has_ended: Awaited<bool>,
}

/// The rollback of a failed create.
pub(super) struct Rollback {
    pub(super) failure: StoredFailure,
    /// The time of the response to the create if the rollback takes longer. It is the same for all attempts.
    pub(super) answer_at: Instant,
    /// The time that the rollback has from its call on.
    time: Duration,
}

pub(super) enum HandlerCall {
    Provision(ProvisionCall),
    Update(UpdateCall),
    ChangePlan(UpdateCall),
    Deprovision(Removal),
    Bind(BindCall),
    Unbind(UnbindCall),
}

impl Job {
    /// Hands over the parameters that the request of the operation has decoded.
    pub(super) fn take_decoded(&mut self, parameters: Option<Decoded>) {
        match &mut self.call {
            HandlerCall::Provision(call) => call.decoded = parameters,
            HandlerCall::Bind(call) => call.decoded = parameters,
            _ => {}
        }
    }
}

/// The deletion of an instance, with its bindings.
pub(super) struct Removal {
    pub(super) call: DeprovisionCall,
    pub(super) instance_state: Option<StateJson>,
    /// The number of bindings.
    pub(super) bindings: u64,
    /// The event of the deletion, if there are bindings and events are wanted.
    pub(super) event: Option<Box<Event>>,
}

impl HandlerCall {
    /// Returns the name of the handler for the log.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Provision(_) => "provision",
            Self::Update(_) | Self::ChangePlan(_) => "update",
            Self::Deprovision(_) => "deprovision",
            Self::Bind(_) => "bind",
            Self::Unbind(_) => "unbind",
        }
    }
}

impl Lifecycle {
    /// Builds the job of a claimed operation. Returns `None` if the broker no longer has the plan.
    pub(super) fn build_job(self: &Arc<Self>, group: &Group<'_>, claim: &Claim) -> Option<Box<Job>> {
        let (record, status) = (group.subject()?, group.status()?);
        let operation = &status.operation;
        // The lease began before the transaction did, and may end soon after it.
        let [deadline, held_until] = self.settings.instants([operation.deadline, operation.lease]);
        let failure = if let OperationKind::Create { rollback } = &operation.kind { rollback.clone() } else { None };
        let instance = group.instance()?;
        let (resolved, handle, mut call) = match group.binding() {
            None => self.instance_job(instance, operation, claim, deadline)?,
            Some(binding) => self.binding_job(instance, binding, group.predecessor(), operation, claim, deadline)?,
        };
        let permits = Arc::clone(&self.service(resolved.offering.id)?.permits);
        // A hook can't refuse a rollback.
        let needs_hook = !operation.admitted && failure.is_none();
        let began = || event(record, &claim.key, operation, Stage::Began, self.settings.clock.date());
        let before_hook = if needs_hook { self.before_hook(began) } else { None };
        if let HandlerCall::Deprovision(removal) = &mut call
            && removal.bindings > 0
            && self.is_audited()
        {
            removal.event = Some(Box::new(began()));
        }
        let late = self.settings.sync_deadline.saturating_sub(self.settings.rollback_wait);
        let attempt = Attempt {
            claim: claim.clone(),
            handle,
            stored_deadline: operation.deadline,
            permits,
            held_until: Awaited::new(held_until),
            rollback: failure.map(|failure| Rollback {
                failure,
                // The stored deadline counts from the start of the rollback.
                answer_at: deadline.checked_sub(late).unwrap_or_else(Instant::now),
                time: self.settings.sync_deadline,
            }),
            temporary_failures: operation.temporary_failures,
            identity: operation.identity.clone(),
            cancel_reason: OnceLock::new(),
            aborted: Notify::new(),
            has_begun: AtomicBool::new(false),
            has_ended: Awaited::default(),
        };
        Some(Box::new(Job { resolved, call, before_hook, attempt: EndOfWatch(Arc::new(attempt)) }))
    }

    fn handle(
        self: &Arc<Self>,
        claim: &Claim,
        deadline: Instant,
        earlier: Option<StateJson>,
        trace: Option<TraceParent>,
    ) -> Arc<OperationHandle> {
        let journal = Checkpoints { lifecycle: Arc::clone(self), claim: claim.clone(), cascaded: None };
        let attempt = (claim.operation.clone(), claim.attempt);
        Arc::new(OperationHandle::new(attempt, deadline, earlier, trace, journal))
    }

    fn instance_job(
        self: &Arc<Self>,
        record: &InstanceRecord,
        operation: &OperationRecord,
        claim: &Claim,
        deadline: Instant,
    ) -> Option<(ResolvedPlan, Arc<OperationHandle>, HandlerCall)> {
        let resolved = self.route(&record.service_id, &record.plan_id).ok()?;
        let (continued, unfinished_change) = match (&operation.kind, record.unfinished.clone()) {
            (OperationKind::Update(change), Some((plan, state))) if plan == change.plan_id => (Some(state), None),
            (_, other) => (None, other.map(|(plan_id, checkpoint)| UnfinishedChange { plan_id, checkpoint })),
        };
        let earlier = operation.checkpoint.clone().or(continued);
        let handle = self.handle(claim, deadline, earlier, operation.trace.clone());
        let common = |context: &LazyObject| common(claim, operation, resolved.info, &handle, context);
        let call = match &operation.kind {
            OperationKind::Create { rollback: None } => {
                let parameters = record.parameters.clone();
                HandlerCall::Provision(ProvisionCall { common: common(&record.context), parameters, decoded: None })
            }
            OperationKind::Update(change) => {
                let context = change.context.as_ref().unwrap_or(&record.context);
                let call = UpdateCall { unfinished_change, ..self.update_call(record, change, common(context))? };
                if change.plan_id == record.plan_id { HandlerCall::Update(call) } else { HandlerCall::ChangePlan(call) }
            }
            OperationKind::Create { rollback: Some(_) } | OperationKind::Delete { .. } => {
                let state = operation.checkpoint.clone().or_else(|| record.state.clone());
                let (common, parameters) = (common(&record.context), record.parameters.clone());
                HandlerCall::Deprovision(Removal {
                    call: DeprovisionCall { common, parameters, state, unfinished_change },
                    instance_state: record.state.clone(),
                    bindings: record.bindings,
                    event: None,
                })
            }
        };
        Some((resolved, handle, call))
    }

    fn update_call(&self, record: &InstanceRecord, change: &PlannedUpdate, common: Common) -> Option<UpdateCall> {
        let to = self.route(&record.service_id, &change.plan_id).ok()?;
        let maintenance = to.info.spec.maintenance.filter(|_| change.maintenance);
        Some(UpdateCall {
            common,
            new_plan: to.info,
            state: record.state.clone().unwrap_or_default(),
            changes: change.changes.clone(),
            before: record.parameters.clone(),
            after: change.after.clone(),
            bindings: record.bindings,
            maintenance: maintenance.map(|to| MaintenanceUpgrade { from: record.maintenance_version.clone(), to }),
            unfinished_change: None,
        })
    }

    fn binding_job(
        self: &Arc<Self>,
        instance: &InstanceRecord,
        binding: &BindingRecord,
        predecessor: Option<&BindingRecord>,
        operation: &OperationRecord,
        claim: &Claim,
        deadline: Instant,
    ) -> Option<(ResolvedPlan, Arc<OperationHandle>, HandlerCall)> {
        let id = claim.key.binding.clone()?;
        let resolved = self.route(&binding.service_id, &binding.plan_id).ok()?;
        let handle = self.handle(claim, deadline, operation.checkpoint.clone(), operation.trace.clone());
        let common = |context: &LazyObject| common(claim, operation, resolved.info, &handle, context);
        let call = match &operation.kind {
            OperationKind::Create { rollback: None } => {
                let state = predecessor.and_then(|predecessor| predecessor.state.clone()).unwrap_or_default();
                let old_plan = predecessor.and_then(|found| self.route(&found.service_id, &found.plan_id).ok());
                let old_plan = old_plan.and_then(|old| other_plan(old.info, &resolved));
                let call = BindCall {
                    common: common(binding.context.as_ref().unwrap_or(&instance.context)),
                    binding: id,
                    state: instance.state.clone().unwrap_or_default(),
                    instance_parameters: instance.parameters.clone(),
                    parameters: binding.parameters.clone(),
                    decoded: None,
                    resource: binding.resource.clone(),
                    predecessor: binding.predecessor.clone().map(|id| (id, state, old_plan)),
                };
                HandlerCall::Bind(call)
            }
            _ => {
                let present = self.route(&instance.service_id, &instance.plan_id).ok();
                let call = UnbindCall {
                    common: common(&instance.context),
                    binding: id,
                    state: operation.checkpoint.clone().or_else(|| binding.state.clone()),
                    instance_state: instance.state.clone(),
                    instance_plan: present.and_then(|present| other_plan(present.info, &resolved)),
                    parameters: binding.parameters.clone(),
                };
                HandlerCall::Unbind(call)
            }
        };
        Some((resolved, handle, call))
    }
}

/// Returns a plan if it differs from that of a binding.
pub(super) fn other_plan(plan: &'static PlanInfo, bound: &ResolvedPlan) -> Option<&'static PlanInfo> {
    (plan.spec.id != bound.info.spec.id).then_some(plan)
}

/// Returns the parts that all handler calls of an operation share.
fn common(
    claim: &Claim,
    operation: &OperationRecord,
    plan: &'static PlanInfo,
    handle: &Arc<OperationHandle>,
    context: &LazyObject,
) -> Common {
    Common {
        tenant: claim.key.tenant.clone(),
        instance: claim.key.instance.clone(),
        plan,
        context: context.clone().into(),
        origin: operation.origin.clone().map(Shared::into_arc),
        handle: Arc::clone(handle),
    }
}

impl Attempt {
    /// Records that the handler is called. The time of a rollback counts from here: if it ended while other handlers hold all
    /// permits, the resources of the create would remain.
    pub(super) fn begin(&self) {
        if !self.has_begun.swap(true, Ordering::Relaxed)
            && let Some(rollback) = &self.rollback
        {
            self.handle.extend(self.handle.deadline().max(within(rollback.time)));
            // The watch looks at the deadline again.
            self.handle.progress_changed.notify_one();
        }
    }

    /// Returns the deadline; `None` while a rollback waits for its call.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let waits = self.rollback.is_some() && !self.has_begun.load(Ordering::Relaxed);
        (!waits).then(|| self.handle.deadline())
    }
}
