//! The records of the engine. Records that hold secrets implement `Debug` in unit tests only (T68).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Phase, RecordError, Timestamp};
use crate::{
    json::Members,
    protocol::{BindResource, BindingId, Context, InstanceId, Origin, RequestIdentity, Tenant, serialize_text},
    service::{Extras, Saved},
};

/// The key of a record. The tenant is part of it, because platforms don't share instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The platform that the instance belongs to.
    pub tenant: Tenant,
    /// The instance.
    pub instance: InstanceId,
}

impl Key {
    /// Encodes the key as bytes that sort as keys do: the tenant's name, a zero byte, which no name contains, and the
    /// instance's id.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (tenant, instance) = (self.tenant.as_str(), self.instance.as_str());
        [tenant.as_bytes(), &[0], instance.as_bytes()].concat()
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    ///
    /// [`RecordError::Key`] if they aren't a key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let text = std::str::from_utf8(bytes).map_err(|_| RecordError::Key)?;
        let (tenant, instance) = text.split_once('\0').ok_or(RecordError::Key)?;
        let tenant = tenant.parse().map_err(|_| RecordError::Key)?;
        Ok(Self { tenant, instance: instance.into() })
    }
}

/// The subject of an operation: the instance itself, or one of its bindings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The instance.
    Instance,
    /// The binding with this id.
    Binding(BindingId),
}

impl Subject {
    /// Returns the id of the binding, for the log.
    pub(crate) fn binding(&self) -> Option<&str> {
        match self {
            Self::Instance => None,
            Self::Binding(id) => Some(id.as_str()),
        }
    }
}

/// A service instance and its bindings, as one record. Its content is the engine's: a [`Store`](super::Store) keeps its
/// bytes and indexes [`due`](Self::due) and [`uses`](Self::uses).
///
/// Its JSON, by serde, holds all of the record, secrets included, for test kits and repairs. The layout can change with
/// every release.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub struct Record {
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) organization_guid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) space_guid: Option<String>,
    #[serde(serialize_with = "serialize_text")]
    pub(crate) context: Context,
    /// The user's parameters, without defaults, which are filled in when a request is built.
    pub(crate) parameters: Value,
    /// The author's state. Missing until the create has succeeded, or has failed after saving a checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<Saved>,
    /// The checkpoint of a failed plan change, with the id of the target plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfinished: Option<(String, Saved)>,
    pub(crate) extras: Extras,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maintenance_version: Option<String>,
    #[serde(rename = "life")]
    pub(crate) status: OperationState,
    pub(crate) bindings: BTreeMap<BindingId, BindingRecord>,
}

/// A binding.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct BindingRecord {
    pub(crate) service_id: String,
    pub(crate) plan_id: String,
    pub(crate) parameters: Value,
    pub(crate) resource: BindResource,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_text")]
    pub(crate) context: Option<Context>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) predecessor: Option<BindingId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<Saved>,
    /// The fields of the binding's response, such as `credentials`.
    pub(crate) output: Members,
    #[serde(rename = "life")]
    pub(crate) status: OperationState,
}

/// The state of an instance or a binding: its phase, and its newest operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OperationState {
    pub(crate) phase: Phase,
    /// The newest operation, running or ended, which `last_operation` reports.
    pub(crate) operation: OperationRecord,
    /// The create that the newest operation, a deletion, has cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cancelled: Option<Box<Cancelled>>,
    /// The time at which the tombstone can be removed (LOI-09).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forget_at: Option<Timestamp>,
}

/// The record of an operation, from the request that started it to its end.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct OperationRecord {
    /// Stable across repeated requests (PROV-13), and never reused.
    pub(crate) id: String,
    pub(crate) kind: OperationKind,
    /// The time of the request.
    #[serde(default)]
    pub(crate) began: Timestamp,
    /// The number of the current attempt. It is the fencing token of the claim.
    pub(crate) attempt: u32,
    /// The end of the claim's lease.
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
    pub(crate) checkpoint: Option<Saved>,
    /// The user who requested it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<Origin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<RequestIdentity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<Ended>,
}

impl std::fmt::Debug for OperationRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OperationRecord").field("id", &self.id).field("attempt", &self.attempt).finish_non_exhaustive()
    }
}

/// The kind of an operation.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
#[serde(rename_all = "snake_case")]
pub(crate) enum OperationKind {
    /// `undo`: the failure, while the failed create is rolled back.
    Create {
        undo: Option<Failed>,
    },
    Update(Box<PlannedUpdate>),
    /// `before`: the phase to return to if the author refuses the deletion.
    Delete {
        before: Phase,
    },
}

/// The end of an operation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ended {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failed>,
}

/// A failure as the platform sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failed {
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
    /// The parameters of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<Value>,
    /// The parameters after the update.
    pub(crate) after: Value,
    /// True if maintenance was requested and is due.
    pub(crate) maintenance: bool,
    /// The maintenance version after the update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// The context after the update.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_text")]
    pub(crate) context: Option<Context>,
}

/// The attributes by which repeated update requests are recognized.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct UpdateKey {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maintenance_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "serialize_text")]
    pub(crate) context: Option<Context>,
}

/// A claim: the right to run one attempt of an operation. Each write of the attempt is checked against it.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) key: Key,
    pub(crate) subject: Subject,
    pub(crate) operation: String,
    pub(crate) attempt: u32,
}

impl OperationRecord {
    pub(crate) fn is_running(&self) -> bool {
        self.end.is_none()
    }

    /// Returns the failure, if the operation failed.
    pub(crate) fn failure(&self) -> Option<&Failed> {
        self.end.as_ref().and_then(|end| end.failure.as_ref())
    }

    pub(crate) fn is_delete(&self) -> bool {
        matches!(self.kind, OperationKind::Delete { .. })
    }

    /// Returns true for a synchronous create that has failed and is being rolled back.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.kind, OperationKind::Create { undo: Some(_) }) && !self.accepted
    }

    fn is(&self, claim: &Claim) -> bool {
        self.id == claim.operation && self.attempt == claim.attempt && self.is_running()
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

    /// Returns the end of the lease or of the tombstone.
    fn due(&self) -> Option<Timestamp> {
        if self.operation.is_running() { Some(self.operation.lease) } else { self.forget_at }
    }
}

impl Record {
    pub(crate) fn status(&self, subject: &Subject) -> Option<&OperationState> {
        match subject {
            Subject::Instance => Some(&self.status),
            Subject::Binding(id) => self.bindings.get(id).map(|binding| &binding.status),
        }
    }

    pub(crate) fn status_mut(&mut self, subject: &Subject) -> Option<&mut OperationState> {
        match subject {
            Subject::Instance => Some(&mut self.status),
            Subject::Binding(id) => self.bindings.get_mut(id).map(|binding| &mut binding.status),
        }
    }

    /// Returns the author's state of the instance, or of a binding.
    pub(crate) fn state_mut(&mut self, subject: &Subject) -> Option<&mut Option<Saved>> {
        match subject {
            Subject::Instance => Some(&mut self.state),
            Subject::Binding(id) => self.bindings.get_mut(id).map(|binding| &mut binding.state),
        }
    }

    /// Returns true if a binding is being created or deleted.
    pub(crate) fn has_busy_bindings(&self) -> bool {
        self.bindings.values().any(|binding| matches!(binding.status.phase, Phase::Creating | Phase::Deleting))
    }

    /// Returns true if a successor of this binding is being created, which needs its state.
    pub(crate) fn is_being_succeeded(&self, id: &BindingId) -> bool {
        let mut made = self.bindings.values().filter(|binding| binding.status.phase == Phase::Creating);
        made.any(|binding| binding.predecessor.as_ref() == Some(id))
    }

    /// Returns the time at which the engine has to process the record, because a lease expires or a tombstone can be
    /// removed. `None` if there is no such time.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        let bindings = self.bindings.values().filter_map(|binding| binding.status.due());
        bindings.chain(self.status.due()).min()
    }
}
