//! Applies the outcome of an attempt to the record, without I/O.

use serde_json::{Map, Value};

use super::{Settings, answers};
use crate::{
    json::Members,
    protocol::{Answer, Context},
    service::{Extras, MadeBinding, MadeInstance, Saved},
    store::{
        BindingRecord, Claim, ClaimStatus, Ended, Failed, OperationKind, OperationState, Phase, PlannedUpdate, Record,
        Subject, Timestamp,
    },
};

/// The outcome of one attempt.
pub(super) enum HandlerResult {
    Made(MadeInstance),
    Bound(MadeBinding),
    Removed,
    Failed(HandlerError),
}

/// The reason why an attempt failed.
#[derive(Debug, Clone)]
pub(super) enum HandlerError {
    /// The handler refused the request.
    Refused(Failed),
    /// A retry may succeed.
    Temporary,
    /// Any other error, or a panic.
    Unexpected,
    /// The handler exceeded the deadline.
    TooSlow,
    /// The operation was cancelled, or another worker took it over.
    Stopped,
    /// The claim could not be confirmed within its lease. The next attempt continues, unless another worker has taken over.
    Interrupted,
}

impl HandlerError {
    /// Returns the failure for the record and the platform.
    fn failed(&self, operation: &str) -> Failed {
        match self {
            Self::Refused(refusal) => refusal.clone(),
            Self::TooSlow => answers::failed_too_slow(operation),
            Self::Temporary | Self::Unexpected | Self::Stopped | Self::Interrupted => {
                answers::failed_unexpectedly(operation)
            }
        }
    }

    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// The worker's next step.
pub(super) enum NextStep {
    /// The operation has ended with this response for waiting requests.
    Ended(Answer),
    /// Another attempt follows under this claim, after a delay.
    Again(Claim, std::time::Duration),
    /// The claim is lost: another worker has taken over, or the operation has ended.
    Lost,
}

/// The current time and the settings.
pub(super) struct OutcomeContext<'a> {
    pub(super) at: Timestamp,
    pub(super) settings: &'a Settings,
}

/// Writes the outcome of an attempt to the record, and returns the next step.
pub(super) fn apply_outcome(
    record: &mut Record,
    claim: &Claim,
    outcome: &HandlerResult,
    now: &OutcomeContext<'_>,
) -> NextStep {
    let subject = &claim.subject;
    let Some(status) = record.status_mut(subject) else { return NextStep::Lost };
    match status.claim_status(claim) {
        ClaimStatus::Lost => return NextStep::Lost,
        ClaimStatus::Cancelled => return release(record, claim, outcome, now),
        ClaimStatus::Holds => {}
    }
    if let HandlerResult::Failed(HandlerError::Temporary) = outcome
        && let Some(pause) = now.settings.retry.pause(status.operation.attempt)
        && now.at.after(pause) < status.operation.deadline
    {
        return NextStep::Again(again(status, claim, now), pause);
    }
    if let HandlerResult::Failed(HandlerError::Interrupted) = outcome
        && now.at < status.operation.deadline
    {
        return NextStep::Again(again(status, claim, now), std::time::Duration::ZERO);
    }
    let kind = status.operation.kind.clone();
    match (kind, outcome) {
        (OperationKind::Create { undo: None }, HandlerResult::Made(made)) => created(record, made),
        (OperationKind::Create { undo: None }, HandlerResult::Bound(MadeBinding { state, fields: Ok(fields) })) => {
            if let Some(binding) = binding(record, subject) {
                binding.state = Some(state.clone());
                binding.output.clone_from(fields);
                binding.status.phase = Phase::Ready;
            }
        }
        (OperationKind::Create { undo: None }, HandlerResult::Failed(fault))
            if fault.is_refusal() && status.operation.checkpoint.is_none() =>
        {
            // The handler refused before it created anything: there is nothing to roll back.
            tombstone(record, subject, now);
            return end(record, subject, Some(fault.failed(&claim.operation)));
        }
        (OperationKind::Create { undo: None }, outcome) => {
            let failed = match outcome {
                HandlerResult::Failed(fault) => fault.failed(&claim.operation),
                _ => answers::failed_unexpectedly(&claim.operation),
            };
            return NextStep::Again(undo(record, claim, saved(outcome), failed, now), std::time::Duration::ZERO);
        }
        (OperationKind::Create { undo: Some(failed) }, outcome) => {
            if matches!(outcome, HandlerResult::Removed) {
                tombstone(record, subject, now);
                return end(record, subject, Some(failed));
            }
            keep_checkpoint(record, subject);
            set_phase(record, subject, Phase::CreateFailed);
            // A 4xx would mean that there is nothing to delete (ERR-08).
            let failed = if failed.status < 500 { answers::failed_unexpectedly(&claim.operation) } else { failed };
            return end(record, subject, Some(failed));
        }
        (OperationKind::Update(change), HandlerResult::Made(made)) => updated(record, *change, made),
        (OperationKind::Update(change), outcome) => {
            let HandlerResult::Failed(fault) = outcome else { return NextStep::Lost };
            // The instance keeps its old plan and parameters (UPD-17).
            let checkpoint = record.status.operation.checkpoint.take();
            if change.plan_id == record.plan_id {
                record.state = checkpoint.or(record.state.take());
            } else {
                record.unfinished = checkpoint.map(|state| (change.plan_id, state)).or(record.unfinished.take());
            }
            record.status.phase = Phase::Ready;
            return end(record, subject, Some(fault.failed(&claim.operation)));
        }
        (OperationKind::Delete { .. }, HandlerResult::Removed) => tombstone(record, subject, now),
        (OperationKind::Delete { before }, outcome) => {
            let HandlerResult::Failed(fault) = outcome else { return NextStep::Lost };
            keep_checkpoint(record, subject);
            let phase = match before {
                Phase::Ready if !fault.is_refusal() => Phase::DeleteFailed,
                before => before,
            };
            set_phase(record, subject, phase);
            return end(record, subject, Some(fault.failed(&claim.operation)));
        }
    }
    end(record, subject, None)
}

/// Claims the next attempt of the current operation.
fn again(status: &mut OperationState, claim: &Claim, now: &OutcomeContext<'_>) -> Claim {
    let operation = &mut status.operation;
    operation.attempt += 1;
    operation.lease = now.at.after(now.settings.lease);
    Claim { operation: operation.id.clone(), attempt: operation.attempt, ..claim.clone() }
}

/// Releases the claim of a cancelled create whose handler has ended. The same worker continues with the deletion.
fn release(record: &mut Record, claim: &Claim, outcome: &HandlerResult, now: &OutcomeContext<'_>) -> NextStep {
    let subject = &claim.subject;
    release_cancelled(record, subject, saved(outcome));
    if matches!(outcome, HandlerResult::Removed) {
        tombstone(record, subject, now);
        return end(record, subject, None);
    }
    match record.status_mut(subject) {
        Some(status) => NextStep::Again(again(status, claim, now), std::time::Duration::ZERO),
        None => NextStep::Lost,
    }
}

/// Ends a cancelled create, and keeps its last state for the deletion.
pub(super) fn release_cancelled(record: &mut Record, subject: &Subject, saved: Option<Saved>) {
    let Some(status) = record.status_mut(subject) else { return };
    let Some(cancelled) = &mut status.cancelled else { return };
    cancelled.released = true;
    cancelled.operation.end = Some(Ended { failure: Some(answers::failed_by_deletion()) });
    let saved = saved.or(cancelled.operation.checkpoint.take());
    if let (Some(state), Some(saved)) = (record.state_mut(subject), saved) {
        *state = Some(saved);
    }
}

/// Starts the rollback of a failed create, with a new deadline.
fn undo(record: &mut Record, claim: &Claim, made: Option<Saved>, failed: Failed, now: &OutcomeContext<'_>) -> Claim {
    let subject = &claim.subject;
    if let (Some(state), Some(made)) = (record.state_mut(subject), made) {
        *state = Some(made);
    }
    keep_checkpoint(record, subject);
    let Some(status) = record.status_mut(subject) else { return claim.clone() };
    status.operation.kind = OperationKind::Create { undo: Some(failed) };
    status.operation.deadline = now.at.after(now.settings.sync_deadline);
    again(status, claim, now)
}

/// Returns the state in the result of a create or update handler.
fn saved(outcome: &HandlerResult) -> Option<Saved> {
    match outcome {
        HandlerResult::Made(made) => Some(made.state.clone()),
        HandlerResult::Bound(made) => Some(made.state.clone()),
        HandlerResult::Removed | HandlerResult::Failed(_) => None,
    }
}

/// Makes the last checkpoint the state of the instance or binding.
fn keep_checkpoint(record: &mut Record, subject: &Subject) {
    let saved = record.status_mut(subject).and_then(|status| status.operation.checkpoint.take());
    if let (Some(state), Some(saved)) = (record.state_mut(subject), saved) {
        *state = Some(saved);
    }
}

fn set_phase(record: &mut Record, subject: &Subject, phase: Phase) {
    if let Some(status) = record.status_mut(subject) {
        status.phase = phase;
    }
}

fn binding<'a>(record: &'a mut Record, subject: &Subject) -> Option<&'a mut BindingRecord> {
    match subject {
        Subject::Binding(id) => record.bindings.get_mut(id),
        Subject::Instance => None,
    }
}

fn created(record: &mut Record, made: &MadeInstance) {
    record.state = Some(made.state.clone());
    record.extras = merge_extras(&record.extras, &made.extras);
    record.status.phase = Phase::Ready;
}

fn updated(record: &mut Record, change: PlannedUpdate, made: &MadeInstance) {
    if change.plan_id != record.plan_id {
        record.unfinished = None;
    }
    record.plan_id = change.plan_id;
    record.parameters = change.after;
    record.state = Some(made.state.clone());
    record.extras = merge_extras(&record.extras, &made.extras);
    record.maintenance_version = change.version;
    if let Some(context) = change.context {
        record.context = context;
    }
    record.status.phase = Phase::Ready;
}

/// Merges extras: values absent from `new` keep their old values.
fn merge_extras(old: &Extras, new: &Extras) -> Extras {
    let or =
        |new: &Map<String, Value>, old: &Map<String, Value>| if new.is_empty() { old.clone() } else { new.clone() };
    Extras {
        dashboard_url: new.dashboard_url.clone().or_else(|| old.dashboard_url.clone()),
        labels: or(&new.labels, &old.labels),
        attributes: or(&new.attributes, &old.attributes),
    }
}

/// Reduces an instance or binding to a tombstone, which answers polls until it expires.
pub(super) fn tombstone(record: &mut Record, subject: &Subject, now: &OutcomeContext<'_>) {
    let forget_at = Some(now.at.after(now.settings.tombstone_ttl));
    match subject {
        Subject::Instance => {
            record.context = Context::default();
            record.parameters = Value::Null;
            record.state = None;
            record.unfinished = None;
            record.extras = Extras::default();
            record.bindings.retain(|_, binding| binding.status.phase == Phase::Gone);
        }
        Subject::Binding(_) => {
            if let Some(binding) = binding(record, subject) {
                binding.parameters = Value::Null;
                binding.state = None;
                binding.output = Members::default();
                binding.context = None;
            }
        }
    }
    if let Some(status) = record.status_mut(subject) {
        status.phase = Phase::Gone;
        status.forget_at = forget_at;
    }
}

fn end(record: &mut Record, subject: &Subject, failure: Option<Failed>) -> NextStep {
    let Some(status) = record.status_mut(subject) else { return NextStep::Lost };
    status.operation.end = Some(Ended { failure });
    status.operation.progress = None;
    status.operation.checkpoint = None;
    answers::ended(record, subject).map_or(NextStep::Lost, NextStep::Ended)
}
