//! Who did what, when, and with which result: read off the records, from what a decision has made of them.
//!
//! No path through the lifecycle has to remember to say something: whichever process brings the beginning or the end of
//! an operation into the record tells about it, and nobody else.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::SystemTime,
};

use serde_json::{Value, json};

use super::Lifecycle;
use crate::{
    protocol::{BindingId, InstanceId, Origin, RequestIdentity, Tenant},
    service::timestamp,
    store::{Failed, Key, Kind, Life, Operation, Phase, Place, Record, StoreError},
};

/// Something happened to an operation.
///
/// Each operation has one event when it [begins](Stage::Began) and one when it ends, as [`Stage::Succeeded`],
/// [`Stage::Failed`] or [`Stage::Cancelled`]; what happens in between has others. Only operations have events: a request
/// that is answered without one (a repeated or malformed one, a conflict, a GET, a change of nothing but the context)
/// has none, and neither has a request that joins an operation which is running already.
///
/// Where bindings go with their instance, each of them has an `unbind` of its own that begins and ends, under the
/// operation id of the deprovision.
///
/// Nothing in an event is secret: no parameters, no credentials, no state, no context. The `description` of a failure
/// is what the platform is told.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// When it happened, to the millisecond.
    pub time: SystemTime,
    /// The platform.
    pub tenant: Tenant,
    /// What is being done.
    pub action: Action,
    /// What has become of it.
    pub stage: Stage,
    /// The instance's id.
    pub instance: InstanceId,
    /// The binding's id, where one is made or removed.
    pub binding: Option<BindingId>,
    /// The service's id.
    pub service_id: String,
    /// The plan's id; where the plan changes, the one that it changes from.
    pub plan_id: String,
    /// Where the plan changes, the id of the one that it changes to.
    pub new_plan_id: Option<String>,
    /// The operation's id: what handlers know as [`operation_id`](crate::service::Work::operation_id) and platforms
    /// poll with.
    pub operation: String,
    /// Which attempt at the operation it is; the first is 1. A deletion that waits for the create which it has
    /// cancelled is not at its first one yet, but at 0.
    pub attempt: u32,
    /// Who asked for it, if the platform says.
    pub who: Option<Who>,
    /// The request that asked for it (HDR-05).
    pub request: Option<RequestIdentity>,
}

/// A user, as the platform names them (`X-Broker-API-Originating-Identity`, HDR-04).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Who {
    /// The platform: `cloudfoundry`, `kubernetes`, or another one's name.
    pub platform: String,
    /// The `user_id` on Cloud Foundry, the `username` or `uid` on Kubernetes; nothing else that the platform says of
    /// the user is kept here.
    pub user: Option<String>,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// An instance is made.
    Provision,
    /// An instance is changed: parameters, maintenance, plan.
    Update,
    /// An instance is removed.
    Deprovision,
    /// A binding is made.
    Bind,
    /// A binding is removed, by itself or along with its instance.
    Unbind,
}

impl Action {
    /// The specification's word for it, in lower case.
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

/// What has become of an operation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Stage {
    /// It is claimed, and will be worked on. Once for each operation.
    Began,
    /// It failed for now, and is tried again.
    Retried,
    /// Whoever worked on it gave no sign of life for too long, and somebody else does it now.
    TakenOver,
    /// It has failed, and what it made is being removed. Its end comes after that.
    CleaningUp,
    /// The end: it is done.
    Succeeded,
    /// The end: it is not done.
    Failed {
        /// The status that somebody who waits for it is answered with.
        status: u16,
        /// The error code in that answer.
        code: Option<String>,
        /// The description in that answer. The reason of what is unexpected is not in it, but in the log.
        description: String,
    },
    /// The end: a deletion has cancelled it.
    Cancelled,
}

impl Stage {
    /// A word for it.
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

    /// Whether the operation has ended.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed { .. } | Self::Cancelled)
    }
}

impl Event {
    /// The event as a JSON object, for a line in a file: times as in RFC 3339, and without what is absent.
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

    /// Writes it to the log.
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
        );
    }
}

/// Where the events go, beside the log, which has them as `tracing` events of the target `osb_runtime::audit` and the
/// level `INFO`.
///
/// It is told by whichever process has brought the fact into the records, right after it is durable there. A process
/// that dies in between tells nobody; who has to know for certain compares with the records' own `last_operation`.
pub trait Audit: Send + Sync + 'static {
    /// Takes an event. It is called on the way to an answer, so it has to be quick and must not block: something slow
    /// belongs behind a channel. If it panics, the log says so, and the operation goes on.
    fn record(&self, event: &Event);
}

/// Who brings something into a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// A request, or who works on an operation.
    Worker,
    /// Who looks after what nobody works on any more.
    Keeper,
}

impl Lifecycle {
    /// Lets `decide` see and change a record, and tells what that has begun or ended.
    pub(super) async fn commit<R: Send>(
        &self,
        key: &Key,
        by: By,
        mut decide: impl FnMut(&mut Option<Record>) -> R + Send,
    ) -> Result<R, StoreError> {
        if !self.is_audited() {
            return self.transact(key, decide).await;
        }
        let (decided, events) = self
            .transact(key, |record| {
                let before = Seen::of(record.as_ref());
                let decided = decide(record);
                let time = self.settings.clock.now().into();
                (decided, before.until(record.as_ref(), key, by, time))
            })
            .await?;
        for event in events {
            self.publish(event);
        }
        Ok(decided)
    }

    fn is_audited(&self) -> bool {
        self.settings.audit.is_some()
            || self.settings.metrics.is_some()
            || self.settings.hooks.is_some()
            || tracing::enabled!(target: "osb_runtime::audit", tracing::Level::INFO)
    }

    fn publish(&self, event: Event) {
        event.log();
        if let Some(metrics) = &self.settings.metrics {
            metrics.operation(&event, self.names(Some(&event.service_id), Some(&event.plan_id)));
        }
        if let Some(audit) = &self.settings.audit
            && catch_unwind(AssertUnwindSafe(|| audit.record(&event))).is_err()
        {
            tracing::error!(operation = event.operation, "the audit's sink panicked");
        }
        if event.stage.is_end() {
            self.call_after(event);
        }
    }
}

/// An event of the newest operation of a place.
pub(super) fn event(
    record: &Record,
    key: &Key,
    place: &Place,
    operation: &Operation,
    stage: Stage,
    time: SystemTime,
) -> Event {
    let (binding, service_id, plan_id) = match place {
        Place::Instance => (None, &record.service_id, &record.plan_id),
        Place::Binding(id) => {
            let found = record.bindings.get(id);
            let found =
                found.map_or((&record.service_id, &record.plan_id), |found| (&found.service_id, &found.plan_id));
            (Some(id.clone()), found.0, found.1)
        }
    };
    let action = match (place, &operation.kind) {
        (Place::Instance, Kind::Create { .. }) => Action::Provision,
        (Place::Instance, Kind::Update(_)) => Action::Update,
        (Place::Instance, Kind::Delete { .. }) => Action::Deprovision,
        (Place::Binding(_), Kind::Create { .. }) => Action::Bind,
        (Place::Binding(_), _) => Action::Unbind,
    };
    let new_plan_id = match &operation.kind {
        Kind::Update(change) if change.plan_id != *plan_id => Some(change.plan_id.clone()),
        _ => None,
    };
    Event {
        time,
        tenant: key.tenant.clone(),
        action,
        stage,
        instance: key.instance.clone(),
        binding,
        service_id: service_id.clone(),
        plan_id: plan_id.clone(),
        new_plan_id,
        operation: operation.id.clone(),
        attempt: operation.attempt,
        who: operation.origin.as_ref().map(who),
        request: operation.identity.clone(),
    }
}

fn who(origin: &Origin) -> Who {
    let user = ["user_id", "username", "uid"].iter().find_map(|name| origin.user.get(*name)?.as_str());
    Who { platform: origin.platform.clone(), user: user.map(str::to_owned) }
}

fn failed(failed: &Failed) -> Stage {
    Stage::Failed { status: failed.status, code: failed.error.clone(), description: failed.description.clone() }
}

/// What a record said of operations before somebody decided.
struct Seen {
    plan_id: Option<String>,
    lives: Vec<(Place, SeenLife)>,
}

struct SeenLife {
    operation: String,
    attempt: u32,
    is_running: bool,
    is_undo: bool,
    /// The operation that was cancelled, if it has ended.
    cancelled: Option<String>,
}

fn is_undo(operation: &Operation) -> bool {
    matches!(operation.kind, Kind::Create { undo: Some(_) })
}

fn ended_cancelled(life: &Life) -> Option<&Operation> {
    life.cancelled.as_ref().map(|cancelled| &cancelled.operation).filter(|operation| !operation.is_running())
}

impl Seen {
    fn of(record: Option<&Record>) -> Self {
        let Some(record) = record else { return Self { plan_id: None, lives: Vec::new() } };
        let bindings = record.bindings.iter().map(|(id, binding)| (Place::Binding(id.clone()), &binding.life));
        let lives = bindings.chain([(Place::Instance, &record.life)]).map(|(place, life)| {
            let seen = SeenLife {
                operation: life.operation.id.clone(),
                attempt: life.operation.attempt,
                is_running: life.operation.is_running(),
                is_undo: is_undo(&life.operation),
                cancelled: ended_cancelled(life).map(|operation| operation.id.clone()),
            };
            (place, seen)
        });
        Self { plan_id: Some(record.plan_id.clone()), lives: lives.collect() }
    }

    fn life(&self, place: &Place) -> Option<&SeenLife> {
        self.lives.iter().find(|(seen, _)| seen == place).map(|(_, life)| life)
    }

    /// What has happened since.
    fn until(&self, record: Option<&Record>, key: &Key, by: By, time: SystemTime) -> Vec<Event> {
        let Some(record) = record else { return Vec::new() };
        let mut events = Vec::new();
        let along = &record.life.operation;
        let mut told = |place: &Place, operation: &Operation, stage: Stage| {
            let mut event = event(record, key, place, operation, stage, time);
            // A change of plan that has succeeded shows in the record already.
            if let (Action::Update, Some(before)) = (event.action, &self.plan_id)
                && *before != event.plan_id
            {
                event.new_plan_id = Some(std::mem::replace(&mut event.plan_id, before.clone()));
            }
            events.push(event);
        };
        let left: Vec<Place> = record
            .bindings
            .iter()
            .filter(|(_, binding)| binding.life.phase != Phase::Gone)
            .map(|(id, _)| Place::Binding(id.clone()))
            .collect();
        for (id, binding) in &record.bindings {
            let place = Place::Binding(id.clone());
            let life = self.life(&place);
            if binding.life.operation.id != along.id {
                own(life, &binding.life, by, |operation, stage| told(&place, operation, stage));
            } else if life.is_none_or(|life| life.operation != along.id) {
                // It went with its instance, and has begun with it too.
                told(&place, &binding.life.operation, Stage::Succeeded);
            }
        }
        let seen = self.life(&Place::Instance);
        if let (Some(failure), true) = (along.failure(), along.is_delete())
            && seen.is_some_and(|seen| seen.operation == along.id && seen.is_running)
        {
            for place in &left {
                told(place, along, failed(failure));
            }
        }
        own(seen, &record.life, by, |operation, stage| told(&Place::Instance, operation, stage));
        if along.is_delete() && along.is_running() && seen.is_some_and(|seen| seen.operation != along.id) {
            for place in &left {
                told(place, along, Stage::Began);
            }
        }
        events
    }
}

/// What has happened to the operations of one place.
fn own(seen: Option<&SeenLife>, life: &Life, by: By, mut told: impl FnMut(&Operation, Stage)) {
    let operation = &life.operation;
    if let Some(cancelled) = ended_cancelled(life)
        && seen.is_none_or(|seen| seen.cancelled.as_deref() != Some(cancelled.id.as_str()))
    {
        told(cancelled, Stage::Cancelled);
    }
    let seen = seen.filter(|seen| seen.operation == operation.id);
    match seen {
        None => told(operation, Stage::Began),
        Some(seen) if seen.attempt < operation.attempt => {
            let undone = is_undo(operation) && !seen.is_undo;
            match by {
                By::Keeper => told(operation, Stage::TakenOver),
                By::Worker if !undone && seen.attempt > 0 => told(operation, Stage::Retried),
                By::Worker => {}
            }
            if undone {
                told(operation, Stage::CleaningUp);
            }
        }
        Some(_) => {}
    }
    if seen.is_none_or(|seen| seen.is_running)
        && let Some(end) = &operation.end
    {
        told(operation, end.failure.as_ref().map_or(Stage::Succeeded, failed));
    }
}
