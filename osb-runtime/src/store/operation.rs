//! The operations of a record: the newest one, its claim, and how earlier ones ended.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Key, Phase, Timestamp, Tombstone, record::is_false};
use crate::{
    json::{LazyObject, Shared, SharedValue},
    protocol::{BindingId, Origin, RequestIdentity, TraceParent, debug_fields},
    schema::canonical,
    service::StateJson,
};

/// The state of an instance or a binding: its phase, and its newest operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OperationState {
    pub(crate) phase: Phase,
    /// The newest operation, running or ended, which `last_operation` reports.
    pub(crate) operation: OperationRecord,
    /// The create that the newest operation, a deletion, has cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cancelled: Option<Box<Cancelled>>,
    /// Earlier operations that have ended, the newest first, for polls by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) earlier: Vec<Earlier>,
}

/// An operation that has ended, and after which another one has begun.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Earlier {
    pub(crate) id: Shared<str>,
    pub(crate) is_delete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<StoredFailure>,
}

/// The record of an operation, from the request that started it to its end.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct OperationRecord {
    /// Stable across repeated requests (PROV-13), and never reused.
    pub(crate) id: Shared<str>,
    pub(crate) kind: OperationKind,
    /// The time of the request.
    #[serde(default)]
    pub(crate) began: Timestamp,
    /// The number of the current attempt. It is the fencing token of the claim.
    pub(crate) attempt: u32,
    /// The number of attempts that failed with a temporary error. Counts separately during a rollback. Takeovers don't count,
    /// unlike in `attempt`.
    #[serde(default, skip_serializing_if = "crate::service::is_zero")]
    pub(crate) temporary_failures: u32,
    /// The end of the claim's lease; zero if its process has released it.
    pub(crate) lease: Timestamp,
    pub(crate) deadline: Timestamp,
    /// True if the platform got a 202; otherwise it waits for the response.
    pub(crate) accepted: bool,
    /// True once the hooks, if there are any, have admitted it.
    pub(crate) admitted: bool,
    /// The handler's last progress description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<String>,
    /// The state that the handler saved last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checkpoint: Option<StateJson>,
    /// The user who requested it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<Shared<Origin>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<RequestIdentity>,
    /// The trace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<TraceParent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<Ended>,
}

debug_fields!(OperationRecord { id, attempt });

/// The kind of an operation.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
#[serde(rename_all = "snake_case")]
pub(crate) enum OperationKind {
    /// `rollback`: the failure, while the failed create is rolled back.
    Create {
        #[serde(rename = "undo")] // in records
        rollback: Option<StoredFailure>,
    },
    Update(Box<PlannedUpdate>),
    /// `before`: the phase to return to if the author refuses the deletion. `has_unbound`: bindings of the instance have been
    /// removed.
    Delete {
        before: Phase,
        #[serde(default, skip_serializing_if = "is_false")]
        has_unbound: bool,
    },
}

/// The end of an operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ended {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<StoredFailure>,
}

/// A failure as the platform sees it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredFailure {
    pub(crate) status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    pub(crate) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instance_usable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) update_repeatable: Option<bool>,
}

/// A create that was cancelled. Until it is `released`, its handler may still be running.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cancelled {
    pub(crate) operation: OperationRecord,
    pub(crate) released: bool,
}

/// An update that is running: its request, and the record after it.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct PlannedUpdate {
    /// The attributes of the request, which identify a repeated request.
    #[serde(rename = "wish")]
    pub(crate) update_key: UpdateKey,
    /// The id of the plan after the update.
    pub(crate) plan_id: String,
    /// The dashboard of the new plan, if it has one and the plan changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) dashboard_url: Option<String>,
    /// The parameters of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<SharedValue>,
    /// The parameters after the update.
    pub(crate) after: SharedValue,
    /// True if maintenance was requested and is due.
    pub(crate) maintenance: bool,
    /// The maintenance version after the update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// The context after the update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<LazyObject>,
}

/// The attributes by which repeated update requests are recognized.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct UpdateKey {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maintenance_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<LazyObject>,
}

impl PartialEq for UpdateKey {
    /// Compares parameters as JSON does, in which 1 and 1.0 are the same number.
    fn eq(&self, other: &Self) -> bool {
        let parameters = |key: &Self| key.parameters.clone().map(|members| canonical(&Value::Object(members)));
        (&self.plan_id, &self.maintenance_version, &self.context)
            == (&other.plan_id, &other.maintenance_version, &other.context)
            && (self.parameters == other.parameters || parameters(self) == parameters(other))
    }
}

/// A claim: the right to run one attempt of an operation. Each write of the attempt is checked against it.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) key: Key,
    /// The predecessor of the binding that the operation creates.
    pub(crate) predecessor: Option<BindingId>,
    pub(crate) operation: Arc<str>,
    pub(crate) attempt: u32,
}

impl OperationRecord {
    pub(crate) fn is_running(&self) -> bool {
        self.end.is_none()
    }

    /// Returns true if the process that worked on the operation has been shut down, and no other one has taken it over.
    pub(crate) fn is_released(&self) -> bool {
        self.is_running() && self.lease == Timestamp::default()
    }

    /// Ends the operation at an operator's request: its worker, or the process that takes it over, finds that its deadline has passed.
    pub(crate) fn end_by_operator(&mut self) {
        self.deadline = self.began;
    }

    pub(crate) fn is_ended_by_operator(&self) -> bool {
        self.deadline == self.began
    }

    /// Returns the failure, if the operation failed.
    pub(crate) fn failure(&self) -> Option<&StoredFailure> {
        self.end.as_ref().and_then(|end| end.failure.as_ref())
    }

    pub(crate) fn is_delete(&self) -> bool {
        matches!(self.kind, OperationKind::Delete { .. })
    }

    /// Returns true for a create that has failed and is being rolled back.
    pub(crate) fn is_rollback(&self) -> bool {
        matches!(self.kind, OperationKind::Create { rollback: Some(_) })
    }

    pub(crate) fn is_sync_rollback(&self) -> bool {
        self.is_rollback() && !self.accepted
    }

    fn is(&self, claim: &Claim) -> bool {
        *self.id == *claim.operation && self.attempt == claim.attempt && self.is_running()
    }
}

/// The status of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimStatus {
    Holds,
    /// A deletion has cancelled the operation and waits for the claim to be released.
    Cancelled,
    /// The operation was taken over, or has ended.
    Lost,
}

impl OperationState {
    pub(crate) fn claim_status(&self, claim: &Claim) -> ClaimStatus {
        if self.operation.is(claim) {
            return ClaimStatus::Holds;
        }
        match &self.cancelled {
            Some(cancelled) if !cancelled.released && cancelled.operation.is(claim) => ClaimStatus::Cancelled,
            _ => ClaimStatus::Lost,
        }
    }

    /// Returns true if the claim is valid, or the operation is cancelled but not yet released.
    pub(crate) fn holds(&self, claim: &Claim) -> bool {
        self.claim_status(claim) != ClaimStatus::Lost
    }

    /// Returns the tombstone with the end of the newest operation.
    pub(crate) fn tombstone(&self, forget_at: Timestamp) -> Tombstone {
        Tombstone {
            operation: self.operation.id.clone(),
            is_delete: self.operation.is_delete(),
            accepted: self.operation.accepted,
            failure: self.operation.failure().cloned(),
            cancelled: self.cancelled.as_ref().map(|cancelled| cancelled.operation.id.clone()),
            forget_at,
        }
    }

    /// Returns the tombstone of a successful deletion, reported for the newest operation.
    pub(crate) fn deletion_tombstone(&self, forget_at: Timestamp) -> Tombstone {
        Tombstone { is_delete: true, failure: None, ..self.tombstone(forget_at) }
    }

    /// Replaces the newest operation, and keeps the id and the end of the one before. A create that was cancelled stays known:
    /// only deletions follow it.
    pub(crate) fn begin(&mut self, operation: OperationRecord) {
        /// Platforms poll one operation at a time; a few more are kept for late polls.
        const KEPT: usize = 3;
        let before = std::mem::replace(&mut self.operation, operation);
        if let Some(end) = before.end {
            let is_delete = matches!(before.kind, OperationKind::Delete { .. });
            self.earlier.insert(0, Earlier { id: before.id, is_delete, failure: end.failure });
            self.earlier.truncate(KEPT);
        }
    }
}
