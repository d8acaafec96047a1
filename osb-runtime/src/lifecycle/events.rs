//! The events of operations. They are the difference between a record before and after a transaction, so no code path has to
//! emit them. The process that commits the start or the end of an operation publishes its event.

use std::time::SystemTime;

use super::{Action, Actor, Event, Lifecycle, Stage, group::Group, metrics::panics};
use crate::{
    json::Shared,
    protocol::Origin,
    store::{
        Claim, ClaimStatus, Key, OperationKind, OperationRecord, OperationState, Record, StoreError, StoredFailure,
    },
};

/// The origin of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// A request, or the worker of an operation.
    Worker,
    /// The periodic sweep, which takes over operations.
    Takeover,
}

impl Lifecycle {
    /// Runs `decide` in a transaction on a group of records, and publishes the resulting events. `events` has those of an
    /// earlier run for which the store reported an error: it was committed if the decision finds its changes.
    pub(super) async fn commit<R: Send>(
        &self,
        keys: &[Key],
        by: Trigger,
        events: &mut Vec<Event>,
        mut decide: impl FnMut(&mut Group<'_>) -> R + Send,
    ) -> Result<R, StoreError> {
        if !self.is_audited() {
            return self.transact(keys, decide).await;
        }
        let decided = self.transact(keys, |group| {
            let before = Before::of(group);
            let decided = decide(group);
            if !group.is_repeated {
                *events = std::mem::take(&mut group.events);
                events.extend(Before::until(before, group, by, self.settings.clock.date()));
            }
            decided
        });
        let decided = decided.await?;
        events.drain(..).for_each(|event| self.publish(event));
        Ok(decided)
    }

    /// Returns the event of the beginning of a claimed operation.
    pub(super) fn began(&self, group: &Group<'_>, claim: &Claim) -> Option<Event> {
        let (record, status) = group.subject().zip(group.status())?;
        let operation = match status.claim_status(claim) {
            ClaimStatus::Holds => &status.operation,
            ClaimStatus::Cancelled => &status.cancelled.as_ref()?.operation,
            ClaimStatus::Lost => return None,
        };
        self.is_audited().then(|| event(record, &claim.key, operation, Stage::Began, self.settings.clock.date()))
    }

    /// Returns the failure of an instance's deletion as events of the bindings that are left.
    pub(super) fn left_events(&self, left: &[Event], failure: Option<&StoredFailure>) -> Vec<Event> {
        let Some(stage) = failure.map(failed_stage) else { return Vec::new() };
        let event = |event: &Event| Event { time: self.settings.clock.date(), stage: stage.clone(), ..event.clone() };
        left.iter().map(event).collect()
    }

    pub(super) fn is_audited(&self) -> bool {
        self.settings.audit.is_some()
            || self.settings.metrics.is_some()
            || self.settings.hooks.is_some()
            || tracing::enabled!(target: "osb_runtime::audit", tracing::Level::INFO)
    }

    pub(super) fn publish(&self, event: Event) {
        event.log();
        if let Some(metrics) = &self.settings.metrics {
            let named = self.names(Some(&event.service_id), Some(&event.plan_id));
            if panics(|| metrics.operation(&event, named)) {
                tracing::error!(operation = event.operation, "the receiver of metrics panicked");
            }
        }
        if let Some(audit) = &self.settings.audit
            && panics(|| audit.record(&event))
        {
            tracing::error!(operation = event.operation, "the audit receiver panicked");
        }
        // Hooks surround operations that call handlers, and have been told already that the abandoned one failed.
        if event.stage.is_end() && event.stage != Stage::Abandoned {
            self.call_after(event);
        }
    }
}

/// Returns an event of an operation on an instance or binding.
pub(super) fn event(record: &Record, key: &Key, operation: &OperationRecord, stage: Stage, time: SystemTime) -> Event {
    let (service_id, plan_id) = record.plan().unwrap_or_default();
    let action = match (&key.binding, &operation.kind) {
        (None, OperationKind::Create { .. }) => Action::Provision,
        (None, OperationKind::Update(_)) => Action::Update,
        (None, OperationKind::Delete { .. }) => Action::Deprovision,
        (Some(_), OperationKind::Create { .. }) => Action::Bind,
        (Some(_), _) => Action::Unbind,
    };
    let new_plan_id = match &operation.kind {
        OperationKind::Update(change) if change.plan_id != plan_id => Some(change.plan_id.clone()),
        _ => None,
    };
    Event {
        time,
        tenant: key.tenant.clone(),
        action,
        stage,
        instance: key.instance.clone(),
        binding: key.binding.clone(),
        service_id: service_id.to_owned(),
        plan_id: plan_id.to_owned(),
        new_plan_id,
        operation: operation.id.to_string(),
        attempt: operation.attempt,
        who: operation.origin.as_deref().map(who),
        request: operation.identity.clone(),
        trace: operation.trace.clone(),
    }
}

fn who(origin: &Origin) -> Actor {
    let user = ["user_id", "username", "uid"].iter().find_map(|name| origin.user.get(*name)?.as_str());
    Actor { platform: origin.platform.clone(), user: user.map(str::to_owned) }
}

fn failed_stage(failed: &StoredFailure) -> Stage {
    Stage::Failed { status: failed.status, code: failed.error.clone(), description: failed.description.clone() }
}

fn ended_cancelled(status: &OperationState) -> Option<&OperationRecord> {
    status.cancelled.as_ref().map(|cancelled| &cancelled.operation).filter(|operation| !operation.is_running())
}

/// The newest operation of an instance or a binding before a transaction.
struct Before {
    /// The operation, as an event.
    event: Event,
    is_running: bool,
    is_rollback: bool,
    is_released: bool,
    /// The id of the cancelled create, if that has ended.
    ended_cancelled: Option<Shared<str>>,
    /// The cancelled create, as an event, if it is running.
    cancelled: Option<Event>,
}

impl Before {
    fn of(group: &Group<'_>) -> Option<Self> {
        group.key().zip(group.subject()).and_then(|(key, record)| {
            let status = record.status()?;
            let event = |operation| event(record, key, operation, Stage::Began, SystemTime::UNIX_EPOCH);
            let running = status.cancelled.as_ref().map(|cancelled| &cancelled.operation);
            Some(Self {
                event: event(&status.operation),
                is_running: status.operation.is_running(),
                is_rollback: status.operation.is_rollback(),
                is_released: status.operation.is_released(),
                ended_cancelled: ended_cancelled(status).map(|operation| operation.id.clone()),
                cancelled: running.filter(|operation| operation.is_running()).map(event),
            })
        })
    }

    /// Returns the events of the changes from then to the record.
    fn until(before: Option<Self>, group: &Group<'_>, by: Trigger, time: SystemTime) -> Vec<Event> {
        let mut events = Vec::new();
        let Some((key, record)) = group.key().zip(group.subject()) else { return events };
        let Some(status) = record.status() else {
            // A tombstone records only the end of the operation.
            if let (Some(before), Some(tombstone)) = (before.filter(|before| before.is_running), record.tombstone()) {
                let cancelled = before.cancelled.map(|event| Event { stage: Stage::Cancelled, time, ..event });
                let stage = tombstone.failure.as_ref().map_or(Stage::Succeeded, failed_stage);
                events.extend(cancelled.into_iter().chain([Event { time, stage, ..before.event }]));
            }
            return events;
        };
        let mut emit = |operation: &OperationRecord, stage: Stage| {
            let mut event = event(record, key, operation, stage, time);
            // After a successful change of plan, the record has the new plan already.
            if let (Action::Update, Some(before)) = (event.action, &before)
                && before.event.plan_id != event.plan_id
            {
                event.new_plan_id = Some(std::mem::replace(&mut event.plan_id, before.event.plan_id.clone()));
            }
            events.push(event);
        };
        let operation = &status.operation;
        if let Some(cancelled) = ended_cancelled(status)
            && before.as_ref().is_none_or(|before| before.ended_cancelled.as_ref() != Some(&cancelled.id))
        {
            emit(cancelled, Stage::Cancelled);
        }
        let seen = before.as_ref().filter(|before| *before.event.operation == *operation.id);
        match seen {
            None => emit(operation, Stage::Began),
            Some(seen) if seen.event.attempt < operation.attempt => {
                let begins_rollback = operation.is_rollback() && !seen.is_rollback;
                match by {
                    Trigger::Takeover if seen.is_released => emit(operation, Stage::HandedOver),
                    Trigger::Takeover => emit(operation, Stage::TakenOver),
                    Trigger::Worker if !begins_rollback && seen.event.attempt > 0 => emit(operation, Stage::Retried),
                    Trigger::Worker => {}
                }
                if begins_rollback {
                    emit(operation, Stage::RollingBack);
                }
            }
            Some(_) => {}
        }
        if seen.is_none_or(|seen| seen.is_running)
            && let Some(end) = &operation.end
        {
            emit(operation, end.failure.as_ref().map_or(Stage::Succeeded, failed_stage));
        }
        events
    }
}
