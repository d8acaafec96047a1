//! Audit events: the actor, the action, the time and the result of operations.
//!
//! Events are the difference between a record before and after a transaction, so no code path has to emit them. The
//! process that commits the start or the end of an operation publishes its event.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::SystemTime,
};

use serde_json::{Value, json};

use super::{Lifecycle, group::Group};
use crate::{
    protocol::{BindingId, InstanceId, Origin, RequestIdentity, Tenant, TraceParent},
    service::timestamp,
    store::{Failed, Key, OperationKind, OperationRecord, OperationState, Record, StoreError},
};

/// A change in the progress of an operation.
///
/// Each operation has one event when it [begins](Stage::Began) and one when it ends, as [`Stage::Succeeded`],
/// [`Stage::Failed`] or [`Stage::Cancelled`]; retries, takeovers and rollbacks have events in between. A request that
/// starts no operation has none: a repeated or malformed request, a conflict, a GET, an update of the context alone, or
/// a request that joins a running operation.
///
/// If the deletion of an instance cascades to its bindings, each of them has its own `unbind` events, with the operation
/// id of the deprovision.
///
/// Events contain no parameters, credentials, state or context. The `description` of a failure is the one in the response
/// to the platform, with what a handler's refusal quotes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The time of the event, to the millisecond.
    pub time: SystemTime,
    /// The platform.
    pub tenant: Tenant,
    /// The kind of the operation.
    pub action: Action,
    /// The progress of the operation.
    pub stage: Stage,
    /// The instance's id.
    pub instance: InstanceId,
    /// The binding's id, for a bind or unbind.
    pub binding: Option<BindingId>,
    /// The service's id.
    pub service_id: String,
    /// The plan's id; for a change of plan, the id of the old plan.
    pub plan_id: String,
    /// The id of the new plan, for a change of plan.
    pub new_plan_id: Option<String>,
    /// The operation's id, as in [`operation.id()`](crate::service::Operation::id) and in polls of platforms.
    pub operation: String,
    /// The number of the attempt; the first is 1. It is 0 while a deletion waits for the create that it has cancelled.
    pub attempt: u32,
    /// The user who sent the request, if the platform identifies them.
    pub who: Option<Actor>,
    /// The identity of the request (HDR-05).
    pub request: Option<RequestIdentity>,
    /// The trace of the request, from its header `traceparent`.
    pub trace: Option<TraceParent>,
}

/// A user, as identified by the platform (`X-Broker-API-Originating-Identity`, HDR-04).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Actor {
    /// The platform's name, such as `cloudfoundry` or `kubernetes`.
    pub platform: String,
    /// The `user_id` on Cloud Foundry, the `username` or `uid` on Kubernetes.
    pub user: Option<String>,
}

/// The kind of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// Creates an instance.
    Provision,
    /// Changes parameters, maintenance version or plan of an instance.
    Update,
    /// Deletes an instance.
    Deprovision,
    /// Creates a binding.
    Bind,
    /// Deletes a binding, by its own request or by the cascading deletion of its instance.
    Unbind,
}

impl Action {
    /// All actions.
    pub const ALL: [Self; 5] = [Self::Provision, Self::Update, Self::Deprovision, Self::Bind, Self::Unbind];

    /// Returns the specification's name of the action, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Provision => "provision",
            Self::Update => "update",
            Self::Deprovision => "deprovision",
            Self::Bind => "bind",
            Self::Unbind => "unbind",
        }
    }
}

/// The progress of an operation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Stage {
    /// The operation was claimed. Each operation has one such event.
    Began,
    /// An attempt failed with a temporary error, and the next one follows.
    Retried,
    /// The lease expired, and another worker took over.
    TakenOver,
    /// The create failed, and its rollback begins. The event of its end follows the rollback.
    CleaningUp,
    /// The operation has ended successfully.
    Succeeded,
    /// The operation has ended with an error.
    Failed {
        /// The status in the synchronous response.
        status: u16,
        /// The error code in the response.
        code: Option<String>,
        /// The description in the response. It omits the reason of an unexpected error, which is in the log.
        description: String,
    },
    /// A deletion has cancelled the operation, which has ended.
    Cancelled,
}

impl Stage {
    /// Returns the name of the stage.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Began => "began",
            Self::Retried => "retried",
            Self::TakenOver => "taken over",
            Self::CleaningUp => "cleaning up",
            Self::Succeeded => "succeeded",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns whether the operation has ended.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed { .. } | Self::Cancelled)
    }
}

impl Event {
    /// Converts the event to a JSON object, for a line in a file. The time is as in RFC 3339; absent values are left out.
    ///
    /// ```
    /// # use osb_runtime::lifecycle::{Audit, Event};
    /// # use std::{fs::File, io::Write, sync::Mutex};
    /// struct Lines(Mutex<File>);
    ///
    /// impl Audit for Lines {
    ///     fn record(&self, event: &Event) {
    ///         if let Ok(mut file) = self.0.lock()
    ///             && let Err(error) = writeln!(file, "{}", event.to_json())
    ///         {
    ///             eprintln!("the audit is incomplete: {error}");
    ///         }
    ///     }
    /// }
    /// ```
    pub fn to_json(&self) -> Value {
        let (status, code, description) = self.failure();
        let mut json = json!({
            "time": timestamp(self.time),
            "tenant": Some(self.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
            "action": self.action.as_str(),
            "stage": self.stage.as_str(),
            "status": status,
            "code": code,
            "description": description,
            "instance_id": self.instance.as_str(),
            "binding_id": self.binding.as_ref().map(BindingId::as_str),
            "service_id": self.service_id,
            "plan_id": self.plan_id,
            "new_plan_id": self.new_plan_id,
            "operation": self.operation,
            "attempt": self.attempt,
            "platform": self.who.as_ref().map(|who| &who.platform),
            "user": self.who.as_ref().and_then(|who| who.user.as_ref()),
            "request_identity": self.request.as_ref().map(RequestIdentity::as_str),
            "trace_id": self.trace.as_ref().map(TraceParent::trace_id),
        });
        if let Value::Object(fields) = &mut json {
            fields.retain(|_, value| !value.is_null());
        }
        json
    }

    fn failure(&self) -> (Option<u16>, Option<&str>, Option<&str>) {
        match &self.stage {
            Stage::Failed { status, code, description } => (Some(*status), code.as_deref(), Some(description)),
            _ => (None, None, None),
        }
    }

    fn log(&self) {
        let (status, code, description) = self.failure();
        tracing::info!(
            target: "osb_runtime::audit",
            action = self.action.as_str(),
            stage = self.stage.as_str(),
            status,
            code,
            description,
            tenant = Some(self.tenant.as_str()).filter(|tenant| !tenant.is_empty()),
            instance = self.instance.as_str(),
            binding = self.binding.as_ref().map(BindingId::as_str),
            service_id = self.service_id,
            plan_id = self.plan_id,
            new_plan_id = self.new_plan_id,
            operation = self.operation,
            attempt = self.attempt,
            platform = self.who.as_ref().map(|who| who.platform.as_str()),
            user = self.who.as_ref().and_then(|who| who.user.as_deref()),
            request = self.request.as_ref().map(RequestIdentity::as_str),
            trace_id = self.trace.as_ref().map(TraceParent::trace_id),
            "{} {}",
            self.action.as_str(),
            self.stage.as_str(),
        );
    }
}

/// A receiver of events. The log has them too, as `tracing` events of the target `osb_runtime::audit` and the level
/// `INFO`.
///
/// The process that commits a change to the records reports it right after the commit. If the process dies in between,
/// the event is lost: the records are authoritative.
pub trait Audit: Send + Sync + 'static {
    /// Receives an event. The response waits for this function, so it has to be quick and must not block; use a channel
    /// for slow work. A panic is logged, and the operation continues.
    fn record(&self, event: &Event);
}

/// The author of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// A request, or the worker of an operation.
    Worker,
    /// The periodic sweep, which takes over operations.
    Keeper,
}

impl Lifecycle {
    /// Runs `decide` in a transaction on a group of records, and publishes the resulting events.
    pub(super) async fn commit<R: Send>(
        &self,
        keys: &[Key],
        by: Trigger,
        mut decide: impl FnMut(&mut Group<'_>) -> R + Send,
    ) -> Result<R, StoreError> {
        if !self.is_audited() {
            return self.transact(keys, decide).await;
        }
        let (decided, events) = self
            .transact(keys, |group| {
                let before = Snapshot::of(group);
                let decided = decide(group);
                let mut events = std::mem::take(&mut group.events);
                events.extend(before.until(group, by, self.settings.clock.date()));
                (decided, events)
            })
            .await?;
        for event in events {
            self.publish(event);
        }
        Ok(decided)
    }

    /// Returns the failure of an instance's deletion as events of the bindings that are left.
    pub(super) fn left_events(&self, left: &[Event], failure: Option<&Failed>) -> Vec<Event> {
        let Some(stage) = failure.map(failed) else { return Vec::new() };
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
            metrics.operation(&event, self.names(Some(&event.service_id), Some(&event.plan_id)));
        }
        if let Some(audit) = &self.settings.audit
            && catch_unwind(AssertUnwindSafe(|| audit.record(&event))).is_err()
        {
            tracing::error!(operation = event.operation, "the audit receiver panicked");
        }
        if event.stage.is_end() {
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
        operation: operation.id.clone(),
        attempt: operation.attempt,
        who: operation.origin.as_ref().map(who),
        request: operation.identity.clone(),
        trace: operation.trace.clone(),
    }
}

fn who(origin: &Origin) -> Actor {
    let user = ["user_id", "username", "uid"].iter().find_map(|name| origin.user.get(*name)?.as_str());
    Actor { platform: origin.platform.clone(), user: user.map(str::to_owned) }
}

fn failed(failed: &Failed) -> Stage {
    Stage::Failed { status: failed.status, code: failed.error.clone(), description: failed.description.clone() }
}

fn is_undo(operation: &OperationRecord) -> bool {
    matches!(operation.kind, OperationKind::Create { undo: Some(_) })
}

fn ended_cancelled(status: &OperationState) -> Option<&OperationRecord> {
    status.cancelled.as_ref().map(|cancelled| &cancelled.operation).filter(|operation| !operation.is_running())
}

/// The newest operation of an instance or a binding before a transaction.
struct Snapshot(Option<Before>);

struct Before {
    /// The operation, as an event.
    event: Event,
    is_running: bool,
    is_undo: bool,
    /// The id of the cancelled create, if that has ended.
    ended_cancelled: Option<String>,
    /// The cancelled create, as an event, if it is running.
    cancelled: Option<Event>,
}

impl Snapshot {
    fn of(group: &Group<'_>) -> Self {
        let before = group.key().zip(group.subject()).and_then(|(key, record)| {
            let status = record.status()?;
            let event = |operation| event(record, key, operation, Stage::Began, SystemTime::UNIX_EPOCH);
            let running = status.cancelled.as_ref().map(|cancelled| &cancelled.operation);
            Some(Before {
                event: event(&status.operation),
                is_running: status.operation.is_running(),
                is_undo: is_undo(&status.operation),
                ended_cancelled: ended_cancelled(status).map(|operation| operation.id.clone()),
                cancelled: running.filter(|operation| operation.is_running()).map(event),
            })
        });
        Self(before)
    }

    /// Returns the events of the changes from this snapshot to the record.
    fn until(self, group: &Group<'_>, by: Trigger, time: SystemTime) -> Vec<Event> {
        let mut events = Vec::new();
        let Some((key, record)) = group.key().zip(group.subject()) else { return events };
        let Some(status) = record.status() else {
            // A tombstone has no more than the end of the operation.
            if let (Some(before), Some(tombstone)) = (self.0.filter(|before| before.is_running), record.tombstone()) {
                let cancelled = before.cancelled.map(|event| Event { stage: Stage::Cancelled, time, ..event });
                let stage = tombstone.failure.as_ref().map_or(Stage::Succeeded, failed);
                events.extend(cancelled.into_iter().chain([Event { time, stage, ..before.event }]));
            }
            return events;
        };
        let before = self.0;
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
        let seen = before.as_ref().filter(|before| before.event.operation == operation.id);
        match seen {
            None => emit(operation, Stage::Began),
            Some(seen) if seen.event.attempt < operation.attempt => {
                let undone = is_undo(operation) && !seen.is_undo;
                match by {
                    Trigger::Keeper => emit(operation, Stage::TakenOver),
                    Trigger::Worker if !undone && seen.event.attempt > 0 => emit(operation, Stage::Retried),
                    Trigger::Worker => {}
                }
                if undone {
                    emit(operation, Stage::CleaningUp);
                }
            }
            Some(_) => {}
        }
        if seen.is_none_or(|seen| seen.is_running)
            && let Some(end) = &operation.end
        {
            emit(operation, end.failure.as_ref().map_or(Stage::Succeeded, failed));
        }
        events
    }
}
