//! The records of the engine. Records that hold secrets implement `Debug` in unit tests only (T68).

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Phase, RecordError, Timestamp};
use crate::{
    json::{LazyObject, Members, SharedValue},
    protocol::{BindResource, BindingId, InstanceId, Origin, RequestIdentity, Tenant, TraceParent},
    service::{Extras, Saved, read_timestamp},
};

/// The key of a record: of an instance, or of one of its bindings. The tenant is part of it, because platforms don't share
/// instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The platform that the instance belongs to.
    pub tenant: Tenant,
    /// The instance.
    pub instance: InstanceId,
    /// The binding; `None` for the instance itself.
    pub binding: Option<BindingId>,
}

impl Key {
    /// Returns the key of the instance that the key belongs to.
    #[must_use]
    pub fn of_instance(&self) -> Self {
        Self { tenant: self.tenant.clone(), instance: self.instance.clone(), binding: None }
    }

    /// Returns the key of a binding of the instance.
    #[must_use]
    pub fn of_binding(&self, binding: BindingId) -> Self {
        Self { binding: Some(binding), ..self.of_instance() }
    }

    /// Returns the id of the binding.
    pub(crate) fn binding_id(&self) -> Option<&str> {
        self.binding.as_ref().map(BindingId::as_str)
    }

    /// Encodes the key as bytes, so that an instance comes before its bindings, and those before the next instance: the
    /// tenant's name, a zero byte, which no name contains, and the instance's id. For a binding, `00 01` and its id follow.
    /// A zero byte in the id of an instance becomes `00 FF`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (tenant, instance) = (self.tenant.as_str().as_bytes(), self.instance.as_str().as_bytes());
        let binding = self.binding_id().map_or(0, |id| id.len() + 2);
        let mut bytes = Vec::with_capacity(tenant.len() + 1 + instance.len() + binding);
        bytes.extend_from_slice(tenant);
        bytes.push(0);
        for (i, part) in instance.split(|byte| *byte == 0).enumerate() {
            bytes.extend_from_slice(if i == 0 { &[] } else { &[0, 0xFF] });
            bytes.extend_from_slice(part);
        }
        if let Some(binding) = &self.binding {
            bytes.extend_from_slice(&[0, 1]);
            bytes.extend_from_slice(binding.as_str().as_bytes());
        }
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    ///
    /// [`RecordError::Key`] if they aren't a key.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordError> {
        let text = |bytes: &[u8]| std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| RecordError::Key);
        let end = bytes.iter().position(|byte| *byte == 0).ok_or(RecordError::Key)?;
        let tenant = text(&bytes[..end])?.parse().map_err(|_| RecordError::Key)?;
        let (mut instance, mut rest) = (Vec::new(), &bytes[end + 1..]);
        loop {
            let Some(zero) = rest.iter().position(|byte| *byte == 0) else {
                instance.extend_from_slice(rest);
                return Ok(Self { tenant, instance: text(&instance)?.into(), binding: None });
            };
            instance.extend_from_slice(&rest[..zero]);
            let mark = rest.get(zero + 1);
            rest = rest.get(zero + 2..).unwrap_or_default();
            match mark {
                Some(0xFF) => instance.push(0),
                Some(1) => {
                    let binding = Some(text(rest)?.into());
                    return Ok(Self { tenant, instance: text(&instance)?.into(), binding });
                }
                _ => return Err(RecordError::Key),
            }
        }
    }
}

/// The record of an instance or of a binding. Its content is the engine's: a [`Store`](super::Store) keeps its bytes and
/// indexes [`due`](Self::due), [`uses`](Self::uses) and [`forget_at`](Self::forget_at).
///
/// Its JSON, by serde, holds all of the record, secrets included, for test kits and repairs. The layout can change with
/// every release.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(Debug))]
pub struct Record(pub(crate) Content);

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Content {
    Instance(Box<InstanceRecord>),
    Binding(Box<BindingRecord>),
    Tombstone(Box<Tombstone>),
}

/// An instance.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct InstanceRecord {
    pub(crate) service_id: Cow<'static, str>,
    pub(crate) plan_id: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) organization_guid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) space_guid: Option<String>,
    pub(crate) context: LazyObject,
    /// The user's parameters, without defaults, which are filled in when a request is built.
    pub(crate) parameters: SharedValue,
    /// The author's state. Missing until the create has succeeded, or has failed after saving a checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<Saved>,
    /// The checkpoint of a failed plan change, with the id of the target plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfinished: Option<(String, Saved)>,
    pub(crate) extras: Extras,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maintenance_version: Option<String>,
    pub(crate) status: OperationState,
    /// The number of bindings, without tombstones.
    pub(crate) bindings: u64,
    /// The bindings that are being created or deleted by operations of their own, each with the predecessor whose state its
    /// creation needs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) busy: BTreeMap<BindingId, Option<BindingId>>,
}

/// A binding.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct BindingRecord {
    pub(crate) service_id: Cow<'static, str>,
    pub(crate) plan_id: Cow<'static, str>,
    pub(crate) parameters: SharedValue,
    pub(crate) resource: BindResource,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<LazyObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) predecessor: Option<BindingId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<Saved>,
    /// The fields of the binding's response, such as `credentials`.
    pub(crate) output: Members,
    /// True once [`Hooks::expired`](crate::lifecycle::Hooks::expired) has been called.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) has_expired: bool,
    pub(crate) status: OperationState,
}

/// The rest of an instance or binding that does not exist any more. It answers polls until it expires (LOI-09), and is kept
/// small, because there can be many.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tombstone {
    /// The last operation.
    #[serde(rename = "o")]
    pub(crate) operation: String,
    /// True if it was a deletion, otherwise a create that has failed.
    #[serde(rename = "d", default, skip_serializing_if = "is_false")]
    pub(crate) is_delete: bool,
    /// True if the platform polls it.
    #[serde(rename = "a", default, skip_serializing_if = "is_false")]
    pub(crate) accepted: bool,
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failed>,
    /// The id of the create that the last operation has cancelled.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub(crate) cancelled: Option<String>,
    /// The time at which it can be removed.
    #[serde(rename = "t")]
    pub(crate) forget_at: Timestamp,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
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
    /// Earlier operations that have ended, the newest first, for polls by their ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) earlier: Vec<Earlier>,
}

/// An operation that has ended, and after which another one has begun.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Earlier {
    pub(crate) id: String,
    pub(crate) is_delete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failed>,
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
    /// The trace of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<TraceParent>,
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
#[derive(Clone, PartialEq, Serialize, Deserialize)]
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

    /// Replaces the newest operation, and keeps the id and the end of the one before.
    pub(crate) fn begin(&mut self, operation: OperationRecord) {
        /// Platforms poll one operation at a time; the last few are for one that is late.
        const KEPT: usize = 3;
        let before = std::mem::replace(&mut self.operation, operation);
        if let Some(end) = before.end {
            let is_delete = matches!(before.kind, OperationKind::Delete { .. });
            self.earlier.insert(0, Earlier { id: before.id, is_delete, failure: end.failure });
            self.earlier.truncate(KEPT);
        }
        self.cancelled = None;
    }
}

impl BindingRecord {
    /// Returns the time at which the credentials expire.
    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        read_timestamp(self.output.get("metadata")?["expires_at"].as_str()?).map(Timestamp::from)
    }
}

impl From<InstanceRecord> for Record {
    fn from(instance: InstanceRecord) -> Self {
        Self(Content::Instance(Box::new(instance)))
    }
}

impl From<BindingRecord> for Record {
    fn from(binding: BindingRecord) -> Self {
        Self(Content::Binding(Box::new(binding)))
    }
}

impl From<Tombstone> for Record {
    fn from(tombstone: Tombstone) -> Self {
        Self(Content::Tombstone(Box::new(tombstone)))
    }
}

impl Record {
    pub(crate) fn instance(&self) -> Option<&InstanceRecord> {
        match &self.0 {
            Content::Instance(instance) => Some(instance),
            _ => None,
        }
    }

    pub(crate) fn instance_mut(&mut self) -> Option<&mut InstanceRecord> {
        match &mut self.0 {
            Content::Instance(instance) => Some(instance),
            _ => None,
        }
    }

    pub(crate) fn binding(&self) -> Option<&BindingRecord> {
        match &self.0 {
            Content::Binding(binding) => Some(binding),
            _ => None,
        }
    }

    pub(crate) fn binding_mut(&mut self) -> Option<&mut BindingRecord> {
        match &mut self.0 {
            Content::Binding(binding) => Some(binding),
            _ => None,
        }
    }

    pub(crate) fn tombstone(&self) -> Option<&Tombstone> {
        match &self.0 {
            Content::Tombstone(tombstone) => Some(tombstone),
            _ => None,
        }
    }

    pub(crate) fn phase(&self) -> Phase {
        self.status().map_or(Phase::Gone, |status| status.phase)
    }

    /// Returns the newest operation with its state; tombstones have none.
    pub(crate) fn status(&self) -> Option<&OperationState> {
        match &self.0 {
            Content::Instance(instance) => Some(&instance.status),
            Content::Binding(binding) => Some(&binding.status),
            Content::Tombstone(_) => None,
        }
    }

    pub(crate) fn status_mut(&mut self) -> Option<&mut OperationState> {
        match &mut self.0 {
            Content::Instance(instance) => Some(&mut instance.status),
            Content::Binding(binding) => Some(&mut binding.status),
            Content::Tombstone(_) => None,
        }
    }

    /// Returns the ids of service and plan; tombstones have none.
    pub(crate) fn plan(&self) -> Option<(&str, &str)> {
        match &self.0 {
            Content::Instance(instance) => Some((&instance.service_id, &instance.plan_id)),
            Content::Binding(binding) => Some((&binding.service_id, &binding.plan_id)),
            Content::Tombstone(_) => None,
        }
    }

    /// Returns the ids of the newest operation, and of the create that it has cancelled.
    pub(crate) fn newest(&self) -> (&str, Option<&str>) {
        match (&self.0, self.status()) {
            (_, Some(status)) => {
                let cancelled = status.cancelled.as_ref().map(|cancelled| cancelled.operation.id.as_str());
                (&status.operation.id, cancelled)
            }
            (Content::Tombstone(tombstone), _) => (&tombstone.operation, tombstone.cancelled.as_deref()),
            _ => ("", None),
        }
    }

    /// Returns the author's state of the instance or the binding.
    pub(crate) fn state_mut(&mut self) -> Option<&mut Option<Saved>> {
        match &mut self.0 {
            Content::Instance(instance) => Some(&mut instance.state),
            Content::Binding(binding) => Some(&mut binding.state),
            Content::Tombstone(_) => None,
        }
    }

    /// Returns the time at which the engine has to look at the record: the end of the lease of the running operation, or, if
    /// none is running, the time at which the binding expires, until the author was told.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        let status = self.status()?;
        if status.operation.is_running() {
            return Some(status.operation.lease);
        }
        let binding = self.binding().filter(|binding| status.phase == Phase::Ready && !binding.has_expired)?;
        binding.expires_at()
    }

    /// Returns the time at which a tombstone can be removed. `None` for an instance or binding that exists.
    #[must_use]
    pub fn forget_at(&self) -> Option<Timestamp> {
        self.tombstone().map(|tombstone| tombstone.forget_at)
    }
}
