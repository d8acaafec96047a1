//! Applies the outcome of an attempt to the record, without I/O.

use std::time::Duration;

use super::{Settings, answers, group::Group};
use crate::{
    protocol::Answer,
    service::{BindingResult, Extras, InstanceResult, StateJson},
    store::{
        Claim, ClaimStatus, Ended, InstanceRecord, OperationKind, OperationState, Phase, PlannedUpdate, Record,
        StoredFailure, Timestamp,
    },
};

/// The outcome of one attempt.
pub(super) enum Outcome {
    Made(InstanceResult),
    Bound(BindingResult),
    Removed,
    Failed(AttemptError),
}

/// The reason why an attempt failed.
#[derive(Debug, Clone)]
pub(super) enum AttemptError {
    /// The handler refused the request.
    Refused(StoredFailure),
    /// A retry may succeed.
    Temporary,
    /// Any other error, or a panic.
    Unexpected,
    /// The handler exceeded the deadline, or an operator ended it: the predicate of the failure.
    TooSlow(&'static str),
    /// The operation was cancelled, or another worker took it over.
    Stopped,
    /// This process is shutting down: another one continues.
    HandedOver,
    /// The claim could not be confirmed within its lease. The next attempt continues, unless another worker has taken over.
    Interrupted,
    /// The store has not confirmed the first claim, so that the platform got an error. No handler may follow (UPD-17).
    NotClaimed,
}

impl AttemptError {
    /// Returns the failure for the record and the platform.
    fn to_failure(&self, operation: &str) -> StoredFailure {
        match self {
            Self::Refused(refusal) => refusal.clone(),
            Self::TooSlow(how) => answers::failed_too_slow(how, operation),
            Self::HandedOver => answers::failed_by_stop(operation),
            Self::Temporary | Self::Unexpected | Self::Stopped | Self::Interrupted | Self::NotClaimed => {
                answers::failed_unexpectedly(operation)
            }
        }
    }

    /// Makes the final error of an operation whose handler was not called a refusal: there is nothing to roll back.
    pub(super) fn before_handler(self, operation: &str) -> Self {
        let is_final = matches!(self, Self::Unexpected | Self::TooSlow(_));
        if is_final { Self::Refused(self.to_failure(operation)) } else { self }
    }

    /// Returns whether the handler has refused the request, or was not called: there is nothing to roll back.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::NotClaimed)
    }
}

/// The worker's next step. `A` is the next attempt: its claim, or the work on it once the claim is committed.
pub(super) enum NextStep<A> {
    /// The operation has ended with this response for waiting requests, together with the deletion that has cancelled it, if
    /// there is one.
    Ended(Answer, Option<(String, Answer)>),
    /// Another attempt follows after a delay.
    NextAttempt(A, Duration),
    /// The claim has been released: any process can take the operation over.
    HandedOver,
    /// The claim is lost: another worker has taken over, or the operation has ended. The record may have this newer operation.
    Lost(Option<String>),
}

/// The current time and the settings.
pub(super) struct OutcomeContext<'a> {
    pub(super) at: Timestamp,
    pub(super) settings: &'a Settings,
}

/// Writes the outcome of an attempt to the record, and returns the next step.
pub(super) fn apply_outcome(
    group: &mut Group<'_>,
    claim: &Claim,
    outcome: &Outcome,
    now: &OutcomeContext<'_>,
) -> NextStep<Claim> {
    let Some(status) = group.status_mut() else { return ended_before(group, claim) };
    match status.claim_status(claim) {
        ClaimStatus::Lost => return ended_before(group, claim),
        ClaimStatus::Cancelled => return release(group, claim, outcome, now),
        ClaimStatus::Holds => {}
    }
    if let Outcome::Failed(error) = outcome
        && let Some(next) = continues(status, claim, error, now)
    {
        return next;
    }
    // Without a further attempt, an error of the hook leaves everything as it was: no handler was called.
    let hook_failed = matches!(outcome, Outcome::Failed(AttemptError::Temporary)) && !status.operation.admitted;
    let refused = hook_failed.then(|| Outcome::Failed(AttemptError::Unexpected.before_handler(&claim.operation)));
    let outcome = refused.as_ref().unwrap_or(outcome);
    let completion = match (status.operation.kind.clone(), outcome) {
        (OperationKind::Create { rollback: None }, outcome) => match creation_ended(group, claim, outcome) {
            Ok(completion) => completion,
            Err(failed) => {
                let next = begin_rollback(group, claim, saved(outcome), failed, now);
                return NextStep::NextAttempt(next, Duration::ZERO);
            }
        },
        (OperationKind::Create { rollback: Some(failed) }, Outcome::Removed) => Completion::Gone(Some(failed)),
        (OperationKind::Create { rollback: Some(failed) }, _) => {
            // A 4xx would mean that there is nothing to delete (ERR-08).
            let failed = if failed.status < 500 { answers::failed_unexpectedly(&claim.operation) } else { failed };
            Completion::Kept(Phase::CreateFailed, failed)
        }
        (OperationKind::Update(change), Outcome::Made(made)) => {
            if let Some(instance) = group.instance_mut() {
                updated(claim, instance, &change, made);
            }
            Completion::Succeeded
        }
        (OperationKind::Update(change), Outcome::Failed(error)) => {
            update_failed(group, *change, error);
            Completion::Kept(Phase::Ready, error.to_failure(&claim.operation))
        }
        (OperationKind::Delete { .. }, Outcome::Removed) => Completion::Gone(None),
        (OperationKind::Delete { before, has_unbound }, Outcome::Failed(error)) => {
            deletion_failed(group, claim, error, before, has_unbound)
        }
        // Their handlers have no such result.
        (OperationKind::Update(_) | OperationKind::Delete { .. }, _) => return lost(group),
    };
    complete(group, claim, completion, now)
}

/// Returns the next step of an operation that a failed attempt doesn't end.
fn continues(
    status: &mut OperationState,
    claim: &Claim,
    error: &AttemptError,
    now: &OutcomeContext<'_>,
) -> Option<NextStep<Claim>> {
    let operation = &mut status.operation;
    // A rollback may have waited with its first call for other handlers, or after an interruption for the store.
    let has_waited = operation.temporary_failures == 0 || matches!(error, AttemptError::Interrupted);
    if operation.is_rollback() && has_waited && !operation.is_ended_by_operator() {
        operation.deadline = operation.deadline.max(now.at.after(now.settings.sync_deadline));
    }
    let pause = match error {
        AttemptError::Temporary => {
            let failures = status.operation.temporary_failures.saturating_add(1);
            let pause =
                now.settings.retry.pause(failures).filter(|pause| now.at.after(*pause) < status.operation.deadline)?;
            status.operation.temporary_failures = failures;
            pause
        }
        AttemptError::Interrupted if now.at < status.operation.deadline => Duration::ZERO,
        // The platform of an update that nothing polls sees an error, so no process may apply it (UPD-17).
        AttemptError::HandedOver
            if status.operation.accepted || !matches!(status.operation.kind, OperationKind::Update(_)) =>
        {
            status.operation.lease = Timestamp::default();
            return Some(NextStep::HandedOver);
        }
        _ => return None,
    };
    Some(NextStep::NextAttempt(claim_next_attempt(status, claim, now), pause))
}

/// Records the result of a create handler. Returns its failure if its resources have to be removed.
fn creation_ended(group: &mut Group<'_>, claim: &Claim, outcome: &Outcome) -> Result<Completion, StoredFailure> {
    match outcome {
        Outcome::Made(made) => {
            if let Some(instance) = group.instance_mut() {
                instance.state = Some(made.state.clone());
                merge_extras(claim, instance, &made.extras);
                instance.status.phase = Phase::Ready;
            }
            Ok(Completion::Succeeded)
        }
        Outcome::Bound(BindingResult { state, fields: Ok(fields) }) => {
            if let Some(binding) = group.binding_mut() {
                binding.state = Some(state.clone());
                binding.output.clone_from(fields);
                binding.status.phase = Phase::Ready;
            }
            Ok(Completion::Succeeded)
        }
        Outcome::Failed(error) => {
            let failed = error.to_failure(&claim.operation);
            let is_clean = error.is_refusal() && !group.status().is_some_and(may_have_begun);
            if is_clean { Ok(Completion::Gone(Some(failed))) } else { Err(failed) }
        }
        Outcome::Bound(_) | Outcome::Removed => Err(answers::failed_unexpectedly(&claim.operation)),
    }
}

/// Returns true if a handler that refuses may have changed a part before, in an earlier attempt or up to a checkpoint.
fn may_have_begun(OperationState { operation, .. }: &OperationState) -> bool {
    operation.checkpoint.is_some() || (operation.attempt > 1 && operation.admitted)
}

/// Keeps the checkpoint of a failed change of plan for the next one; the instance keeps its old plan and parameters (UPD-17).
fn update_failed(group: &mut Group<'_>, change: PlannedUpdate, error: &AttemptError) {
    let Some(record) = group.instance_mut() else { return };
    record.half_updated |= !error.is_refusal() || may_have_begun(&record.status);
    if change.plan_id != record.plan_id {
        let checkpoint = record.status.operation.checkpoint.take();
        record.unfinished = checkpoint.map(|state| (change.plan_id, state)).or(record.unfinished.take());
    }
}

fn deletion_failed(
    group: &Group<'_>,
    claim: &Claim,
    error: &AttemptError,
    before: Phase,
    has_unbound: bool,
) -> Completion {
    let mut failed = error.to_failure(&claim.operation);
    if has_unbound && error.is_refusal() {
        // A 4xx would mean that nothing was removed (ERR-08).
        (failed.status, failed.error) = (500, None);
    }
    let phase = if before == Phase::Ready && !error.is_refusal() { Phase::DeleteFailed } else { before };
    if phase == Phase::DeleteFailed && group.binding().is_none() {
        // Nothing but its deletion is possible from now on (ERR-10).
        failed.instance_usable.get_or_insert(false);
    }
    Completion::Kept(phase, failed)
}

/// Returns the end of the operation if it is in the record already: the store can report an error for a commit that has
/// succeeded, such as when the connection to a database breaks.
fn ended_before(group: &mut Group<'_>, claim: &Claim) -> NextStep<Claim> {
    let record = group.subject().filter(|record| *record.newest().0 == *claim.operation);
    let ended = record.and_then(answers::final_answer);
    group.is_repeated = ended.is_some();
    ended.map_or_else(|| lost(group), |answer| NextStep::Ended(answer, None))
}

/// The end of an operation.
enum Completion {
    /// The instance or binding exists.
    Succeeded,
    /// The operation failed, and the instance or binding has this phase. The last checkpoint becomes its state.
    Kept(Phase, StoredFailure),
    /// The instance or binding does not exist any more: after a deletion, or the failure of a create.
    Gone(Option<StoredFailure>),
}

fn complete(group: &mut Group<'_>, claim: &Claim, completion: Completion, now: &OutcomeContext<'_>) -> NextStep<Claim> {
    if let Completion::Kept(..) = completion {
        keep_checkpoint(group);
    }
    let Some(status) = group.status_mut() else { return lost(group) };
    status.operation.progress = None;
    status.operation.checkpoint = None;
    let (failure, is_gone) = match completion {
        Completion::Succeeded => (None, false),
        Completion::Kept(phase, failed) => {
            status.phase = phase;
            (Some(failed), false)
        }
        Completion::Gone(failed) => (failed, true),
    };
    status.operation.end = Some(Ended { failure });
    if is_gone {
        group.leave_tombstone(now.settings.forget_at(now.at));
    }
    let Some(answer) = group.subject().and_then(answers::final_answer) else { return lost(group) };
    NextStep::Ended(answer, ended_by_deletion(group, claim))
}

/// Returns the id and the response of the deletion that has cancelled a create, if both have ended together.
fn ended_by_deletion(group: &Group<'_>, claim: &Claim) -> Option<(String, Answer)> {
    let record = group.subject()?;
    let (deletion, _) = record.newest();
    (deletion != &*claim.operation).then_some(())?;
    Some((deletion.to_owned(), answers::final_answer(record)?))
}

fn lost(group: &Group<'_>) -> NextStep<Claim> {
    NextStep::Lost(group.subject().map(|record| record.newest().0.to_owned()))
}

fn claim_next_attempt(status: &mut OperationState, claim: &Claim, now: &OutcomeContext<'_>) -> Claim {
    let operation = &mut status.operation;
    operation.attempt += 1;
    operation.lease = now.at.after(now.settings.lease);
    Claim { operation: operation.id.clone().into_arc(), attempt: operation.attempt, ..claim.clone() }
}

/// Releases the claim of a cancelled create whose handler has ended. The same worker continues with the deletion.
fn release(group: &mut Group<'_>, claim: &Claim, outcome: &Outcome, now: &OutcomeContext<'_>) -> NextStep<Claim> {
    release_cancelled(group, saved(outcome));
    if matches!(outcome, Outcome::Removed) {
        return complete(group, claim, Completion::Gone(None), now);
    }
    let Some(status) = group.status_mut() else { return lost(group) };
    NextStep::NextAttempt(claim_next_attempt(status, claim, now), Duration::ZERO)
}

/// Ends a cancelled create, and keeps its last state for the deletion.
pub(super) fn release_cancelled(group: &mut Group<'_>, saved: Option<StateJson>) {
    let Some(cancelled) = group.status_mut().and_then(|status| status.cancelled.as_mut()) else { return };
    cancelled.released = true;
    cancelled.operation.end = Some(Ended { failure: Some(answers::failed_by_deletion()) });
    let saved = saved.or(cancelled.operation.checkpoint.take());
    keep_state(group, saved);
}

/// Starts the rollback of a failed create, with a new deadline.
fn begin_rollback(
    group: &mut Group<'_>,
    claim: &Claim,
    made: Option<StateJson>,
    failed: StoredFailure,
    now: &OutcomeContext<'_>,
) -> Claim {
    keep_checkpoint(group);
    keep_state(group, made);
    let Some(status) = group.status_mut() else { return claim.clone() };
    status.operation.kind = OperationKind::Create { rollback: Some(failed) };
    status.operation.temporary_failures = 0;
    status.operation.deadline = now.at.after(now.settings.sync_deadline);
    claim_next_attempt(status, claim, now)
}

/// Returns the state in the result of a create or update handler.
fn saved(outcome: &Outcome) -> Option<StateJson> {
    match outcome {
        Outcome::Made(made) => Some(made.state.clone()),
        Outcome::Bound(made) => Some(made.state.clone()),
        Outcome::Removed | Outcome::Failed(_) => None,
    }
}

/// Makes the last checkpoint the state of the instance or binding.
fn keep_checkpoint(group: &mut Group<'_>) {
    let saved = group.status_mut().and_then(|status| status.operation.checkpoint.take());
    keep_state(group, saved);
}

fn keep_state(group: &mut Group<'_>, saved: Option<StateJson>) {
    if let (Some(state), Some(saved)) = (group.subject_mut().and_then(Record::state_mut), saved) {
        *state = Some(saved);
    }
}

fn updated(claim: &Claim, record: &mut InstanceRecord, change: &PlannedUpdate, made: &InstanceResult) {
    if change.plan_id != record.plan_id {
        record.unfinished = None;
    }
    record.half_updated = false;
    record.plan_id = change.plan_id.clone().into();
    record.parameters.clone_from(&change.after);
    record.state = Some(made.state.clone());
    if let Some(url) = &change.dashboard_url {
        record.extras.dashboard_url = Some(url.clone());
    }
    merge_extras(claim, record, &made.extras);
    record.maintenance_version.clone_from(&change.version);
    if let Some(context) = &change.context {
        record.context = context.clone();
    }
    record.status.phase = Phase::Ready;
}

/// Merges extras: values absent from `new` keep their old values. Warns of a dashboard URL that no platform learns.
fn merge_extras(claim: &Claim, record: &mut InstanceRecord, new: &Extras) {
    let InstanceRecord { extras: old, status, .. } = record;
    if new.dashboard_url.is_some() && new.dashboard_url != old.dashboard_url {
        if status.operation.accepted {
            let ((tenant, instance, _), operation) = (claim.key.ids(), &*claim.operation);
            let why = "platforms don't learn this dashboard URL after a 202 (PROV-16); implement `dashboard_url`";
            tracing::warn!(tenant, instance, operation, "{why}");
        }
        old.dashboard_url.clone_from(&new.dashboard_url);
    }
    if !new.labels.is_empty() {
        old.labels.clone_from(&new.labels);
    }
    old.attributes.extend(new.attributes.clone());
    old.attributes.retain(|_, value| !value.is_null());
}
