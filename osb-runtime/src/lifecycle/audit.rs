//! Audit events: the actor, the action, the time and the result of operations.

use std::time::SystemTime;

use osb_catalog::timestamp::timestamp_with_millis;
use serde_json::{Value, json};

use crate::protocol::{BindingId, InstanceId, RequestIdentity, Tenant, TraceParent};

/// A change in the progress of an operation.
///
/// Each operation has one event when it [begins](Stage::Began) and one when it ends, as [`Stage::Succeeded`],
/// [`Stage::Failed`] or [`Stage::Cancelled`]; retries, takeovers and rollbacks have events in between. A request that
/// starts no operation has none: a repeated or malformed request, a conflict, a GET, an update of the context alone, or
/// a request that joins a running operation.
///
/// An operator who abandons an instance or a binding adds a `deprovision` or `unbind` event of the stage
/// [`Abandoned`](Stage::Abandoned), with the id of the newest operation and with the operator; the bindings of an
/// instance that is abandoned have one each. `abandon` on the records of a stopped broker only logs these events.
///
/// If the deletion of an instance cascades to its bindings, each of them has its own `unbind` events, with the operation
/// id of the deprovision.
///
/// Events contain no parameters, credentials, state or context. The `description` of a failure is the one in the response
/// to the platform, including what a handler's refusal quotes.
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
    /// The process that worked on the operation was shut down, and another one continues.
    HandedOver,
    /// The lease expired, because the process that worked on the operation has crashed or stalled; another one continues.
    TakenOver,
    /// The create failed, and its rollback begins. The event of the create's end follows the rollback.
    RollingBack,
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
    /// An operator has given up the failed operation: its record was removed, and no handler or hook was called.
    Abandoned,
}

impl Stage {
    /// Returns the name of the stage.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Began => "began",
            Self::Retried => "retried",
            Self::HandedOver => "handed over",
            Self::TakenOver => "taken over",
            Self::RollingBack => "rolling back",
            Self::Succeeded => "succeeded",
            Self::Failed { .. } => "failed",
            Self::Cancelled => "cancelled",
            Self::Abandoned => "abandoned",
        }
    }

    /// Returns whether the operation has ended.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed { .. } | Self::Cancelled | Self::Abandoned)
    }
}

impl Event {
    /// Converts the event to a JSON object, for a line in a file. The time is as in RFC 3339, to the millisecond; absent values
    /// are left out.
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
            "time": timestamp_with_millis(self.time),
            "tenant": self.tenant.non_empty(),
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

    pub(super) fn log(&self) {
        let (status, code, description) = self.failure();
        tracing::info!(
            target: "osb_runtime::audit",
            action = self.action.as_str(),
            stage = self.stage.as_str(),
            status,
            code,
            description,
            tenant = self.tenant.non_empty(),
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

/// A receiver of events. The log has them too, as `tracing` events of the target `osb_runtime::audit` and the level `INFO`.
///
/// The process that commits a change to the records reports it right after the commit. If the process dies in between,
/// the event is lost: the records are authoritative.
#[diagnostic::on_unimplemented(message = "expected a struct of yours with `impl Audit`")]
pub trait Audit: Send + Sync + 'static {
    /// Receives an event. The response waits for this function, so it has to be quick and must not block; use a channel
    /// for slow work. A panic is logged, and the operation continues.
    fn record(&self, event: &Event);
}
