//! Applies the outcome of an attempt to the record, without I/O.

use serde_json::{Map, Value};

use super::{Settings, answers};
use crate::{
    protocol::{Answer, Context},
    service::{Extras, MadeBinding, MadeInstance, Saved},
    store::{BindingRecord, Change, Claim, Ended, Failed, Fence, Kind, Life, Phase, Place, Record, Timestamp},
};

/// The outcome of one attempt.
pub(super) enum Outcome {
    Made(MadeInstance),
    Bound(MadeBinding),
    Removed,
    Failed(Fault),
}

/// The reason why an attempt failed.
#[derive(Debug, Clone)]
pub(super) enum Fault {
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
}

impl Fault {
    /// Returns the failure for the record and the platform.
    fn failed(&self) -> Failed {
        match self {
            Self::Refused(refusal) => refusal.clone(),
            Self::TooSlow => answers::failed_too_slow(),
            Self::Temporary | Self::Unexpected | Self::Stopped => answers::failed_unexpectedly(),
        }
    }

    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// The worker's next step.
pub(super) enum Next {
    /// The operation has ended with this response for waiting requests.
    Ended(Answer),
    /// Another attempt follows under this claim, after a delay.
    Again(Claim, std::time::Duration),
    /// The claim is lost: another worker has taken over, or the operation has ended.
    Lost,
}

/// The current time and the settings.
pub(super) struct Now<'a> {
    pub(super) at: Timestamp,
    pub(super) settings: &'a Settings,
}

/// Writes the outcome of an attempt to the record, and returns the next step.
pub(super) fn settle(record: &mut Record, claim: &Claim, outcome: &Outcome, now: &Now<'_>) -> Next {
    let place = &claim.place;
    let Some(life) = record.life_mut(place) else { return Next::Lost };
    match life.fence(claim) {
        Fence::Lost => return Next::Lost,
        Fence::Cancelled => return release(record, claim, outcome, now),
        Fence::Holds => {}
    }
    if let Outcome::Failed(Fault::Temporary) = outcome
        && let Some(pause) = now.settings.retries.pause(life.operation.attempt)
        && now.at.after(pause) < life.operation.deadline
    {
        return Next::Again(again(life, claim, now), pause);
    }
    let kind = life.operation.kind.clone();
    match (kind, outcome) {
        (Kind::Create { undo: None }, Outcome::Made(made)) => created(record, made),
        (Kind::Create { undo: None }, Outcome::Bound(MadeBinding { state, fields: Ok(fields) })) => {
            if let Some(binding) = binding(record, place) {
                binding.state = Some(state.clone());
                binding.output.clone_from(fields);
                binding.life.phase = Phase::Ready;
            }
        }
        (Kind::Create { undo: None }, Outcome::Failed(fault))
            if fault.is_refusal() && life.operation.checkpoint.is_none() =>
        {
            // The handler refused before it created anything: there is nothing to roll back.
            gone(record, place, now);
            return end(record, place, Some(fault.failed()));
        }
        (Kind::Create { undo: None }, outcome) => {
            let failed = match outcome {
                Outcome::Failed(fault) => fault.failed(),
                _ => answers::failed_unexpectedly(),
            };
            return Next::Again(undo(record, claim, saved(outcome), failed, now), std::time::Duration::ZERO);
        }
        (Kind::Create { undo: Some(failed) }, outcome) => {
            if matches!(outcome, Outcome::Removed) {
                gone(record, place, now);
                return end(record, place, Some(failed));
            }
            remember(record, place);
            set_phase(record, place, Phase::CreateFailed);
            // A 4xx would mean that there is nothing to delete (ERR-08).
            let failed = if failed.status < 500 { answers::failed_unexpectedly() } else { failed };
            return end(record, place, Some(failed));
        }
        (Kind::Update(change), Outcome::Made(made)) => updated(record, *change, made),
        (Kind::Update(change), outcome) => {
            let Outcome::Failed(fault) = outcome else { return Next::Lost };
            // The instance keeps its old plan and parameters (UPD-17).
            let checkpoint = record.life.operation.checkpoint.take();
            if change.plan_id == record.plan_id {
                record.state = checkpoint.or(record.state.take());
            } else {
                record.unfinished = checkpoint.map(|state| (change.plan_id, state)).or(record.unfinished.take());
            }
            record.life.phase = Phase::Ready;
            return end(record, place, Some(fault.failed()));
        }
        (Kind::Delete { .. }, Outcome::Removed) => gone(record, place, now),
        (Kind::Delete { before }, outcome) => {
            let Outcome::Failed(fault) = outcome else { return Next::Lost };
            remember(record, place);
            let phase = match before {
                Phase::Ready if !fault.is_refusal() => Phase::DeleteFailed,
                before => before,
            };
            set_phase(record, place, phase);
            return end(record, place, Some(fault.failed()));
        }
    }
    end(record, place, None)
}

/// Claims the next attempt of the current operation.
fn again(life: &mut Life, claim: &Claim, now: &Now<'_>) -> Claim {
    let operation = &mut life.operation;
    operation.attempt += 1;
    operation.lease = now.at.after(now.settings.lease);
    Claim { operation: operation.id.clone(), attempt: operation.attempt, ..claim.clone() }
}

/// Releases the claim of a cancelled create whose handler has ended. The same worker continues with the deletion.
fn release(record: &mut Record, claim: &Claim, outcome: &Outcome, now: &Now<'_>) -> Next {
    let place = &claim.place;
    let_go(record, place, saved(outcome));
    if matches!(outcome, Outcome::Removed) {
        gone(record, place, now);
        return end(record, place, None);
    }
    match record.life_mut(place) {
        Some(life) => Next::Again(again(life, claim, now), std::time::Duration::ZERO),
        None => Next::Lost,
    }
}

/// Ends a cancelled create, and keeps its last state for the deletion.
pub(super) fn let_go(record: &mut Record, place: &Place, saved: Option<Saved>) {
    let Some(life) = record.life_mut(place) else { return };
    let Some(cancelled) = &mut life.cancelled else { return };
    cancelled.released = true;
    cancelled.operation.end = Some(Ended { failure: Some(answers::failed_by_deletion()) });
    let saved = saved.or(cancelled.operation.checkpoint.take());
    if let (Some(state), Some(saved)) = (record.state_mut(place), saved) {
        *state = Some(saved);
    }
}

/// Starts the rollback of a failed create, with a new deadline.
fn undo(record: &mut Record, claim: &Claim, made: Option<Saved>, failed: Failed, now: &Now<'_>) -> Claim {
    let place = &claim.place;
    if let (Some(state), Some(made)) = (record.state_mut(place), made) {
        *state = Some(made);
    }
    remember(record, place);
    let Some(life) = record.life_mut(place) else { return claim.clone() };
    life.operation.kind = Kind::Create { undo: Some(failed) };
    life.operation.deadline = now.at.after(now.settings.deadline);
    again(life, claim, now)
}

/// Returns the state in the result of a create or update handler.
fn saved(outcome: &Outcome) -> Option<Saved> {
    match outcome {
        Outcome::Made(made) => Some(made.state.clone()),
        Outcome::Bound(made) => Some(made.state.clone()),
        Outcome::Removed | Outcome::Failed(_) => None,
    }
}

/// Makes the last checkpoint the state of the instance or binding.
fn remember(record: &mut Record, place: &Place) {
    let saved = record.life_mut(place).and_then(|life| life.operation.checkpoint.take());
    if let (Some(state), Some(saved)) = (record.state_mut(place), saved) {
        *state = Some(saved);
    }
}

fn set_phase(record: &mut Record, place: &Place, phase: Phase) {
    if let Some(life) = record.life_mut(place) {
        life.phase = phase;
    }
}

fn binding<'a>(record: &'a mut Record, place: &Place) -> Option<&'a mut BindingRecord> {
    match place {
        Place::Binding(id) => record.bindings.get_mut(id),
        Place::Instance => None,
    }
}

fn created(record: &mut Record, made: &MadeInstance) {
    record.state = Some(made.state.clone());
    record.extras = merge_extras(&record.extras, &made.extras);
    record.life.phase = Phase::Ready;
}

fn updated(record: &mut Record, change: Change, made: &MadeInstance) {
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
    record.life.phase = Phase::Ready;
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
pub(super) fn gone(record: &mut Record, place: &Place, now: &Now<'_>) {
    let forget_at = Some(now.at.after(now.settings.remember));
    match place {
        Place::Instance => {
            record.context = Context::default();
            record.parameters = Value::Null;
            record.state = None;
            record.unfinished = None;
            record.extras = Extras::default();
            record.bindings.retain(|_, binding| binding.life.phase == Phase::Gone);
        }
        Place::Binding(_) => {
            if let Some(binding) = binding(record, place) {
                binding.parameters = Value::Null;
                binding.state = None;
                binding.output = Map::new();
                binding.context = None;
            }
        }
    }
    if let Some(life) = record.life_mut(place) {
        life.phase = Phase::Gone;
        life.forget_at = forget_at;
    }
}

fn end(record: &mut Record, place: &Place, failure: Option<Failed>) -> Next {
    let Some(life) = record.life_mut(place) else { return Next::Lost };
    life.operation.end = Some(Ended { failure });
    life.operation.progress = None;
    life.operation.checkpoint = None;
    answers::ended(record, place).map_or(Next::Lost, Next::Ended)
}
