//! The records of the engine. Records that hold secrets implement `Debug` in unit tests only (T68).

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use super::{OperationKind, OperationState, Phase, StoredFailure, Timestamp};
use crate::{
    json::{LazyObject, Members, Shared, SharedValue},
    protocol::{BindResource, BindingId},
    service::{Extras, StateJson, read_timestamp},
};

/// The record of an instance or of a binding. Its content is the engine's: a [`Store`](super::Store) keeps its bytes and
/// indexes [`due`](Self::due), [`plan_usage`](Self::plan_usage) and [`forget_at`](Self::forget_at).
///
/// Its JSON, by serde, holds all of the record, secrets included, for test kits and repairs. Releases can change the layout.
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
    pub(crate) state: Option<StateJson>,
    /// The checkpoint of a failed plan change, with the id of the target plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfinished: Option<(String, StateJson)>,
    /// True if an update has failed since the last success, other than by a refusal at once: it may have changed a part.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) half_updated: bool,
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
    pub(crate) state: Option<StateJson>,
    /// The fields of the binding's response, such as `credentials`.
    pub(crate) output: Members,
    /// The id of the response that returned the credentials, if they can be read only once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) read_by: Option<String>,
    /// True once [`Hooks::expired`](crate::lifecycle::Hooks::expired) has been called.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) has_expired: bool,
    /// The time of the request that created it.
    #[serde(default)]
    pub(crate) created: Timestamp,
    pub(crate) status: OperationState,
}

/// Marks an instance or binding that no longer exists. It answers polls until it expires (LOI-09), and is kept small, because
/// there can be many.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Tombstone {
    /// The last operation.
    #[serde(rename = "o")]
    pub(crate) operation: Shared<str>,
    /// True if it was a deletion, otherwise a create that has failed.
    #[serde(rename = "d", default, skip_serializing_if = "is_false")]
    pub(crate) is_delete: bool,
    /// True if the platform polls it.
    #[serde(rename = "a", default, skip_serializing_if = "is_false")]
    pub(crate) accepted: bool,
    #[serde(rename = "f", default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<StoredFailure>,
    /// The id of the create that the last operation has cancelled.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub(crate) cancelled: Option<Shared<str>>,
    /// The time at which it can be removed.
    #[serde(rename = "t")]
    pub(crate) forget_at: Timestamp,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
pub(super) fn is_false(flag: &bool) -> bool {
    !flag
}

impl InstanceRecord {
    /// Returns true while an update changes the plan.
    pub(crate) fn changes_plan(&self) -> bool {
        let operation = &self.status.operation;
        matches!(&operation.kind, OperationKind::Update(change) if change.plan_id != self.plan_id)
            && operation.is_running()
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
        if let Content::Instance(instance) = &self.0 { Some(instance) } else { None }
    }

    pub(crate) fn instance_mut(&mut self) -> Option<&mut InstanceRecord> {
        if let Content::Instance(instance) = &mut self.0 { Some(instance) } else { None }
    }

    pub(crate) fn binding(&self) -> Option<&BindingRecord> {
        if let Content::Binding(binding) = &self.0 { Some(binding) } else { None }
    }

    pub(crate) fn binding_mut(&mut self) -> Option<&mut BindingRecord> {
        if let Content::Binding(binding) = &mut self.0 { Some(binding) } else { None }
    }

    pub(crate) fn tombstone(&self) -> Option<&Tombstone> {
        if let Content::Tombstone(tombstone) = &self.0 { Some(tombstone) } else { None }
    }

    /// Returns the phase of the instance or the binding.
    pub fn phase(&self) -> Phase {
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
                let cancelled = status.cancelled.as_ref().map(|cancelled| &*cancelled.operation.id);
                (&status.operation.id, cancelled)
            }
            (Content::Tombstone(tombstone), _) => (&tombstone.operation, tombstone.cancelled.as_deref()),
            _ => ("", None),
        }
    }

    /// Returns the author's state of the instance or the binding.
    pub(crate) fn state_mut(&mut self) -> Option<&mut Option<StateJson>> {
        match &mut self.0 {
            Content::Instance(instance) => Some(&mut instance.state),
            Content::Binding(binding) => Some(&mut binding.state),
            Content::Tombstone(_) => None,
        }
    }

    /// Returns the end of the lease of the running operation. `None` if no operation is running.
    pub fn lease(&self) -> Option<Timestamp> {
        let operation = &self.status()?.operation;
        operation.is_running().then_some(operation.lease)
    }

    /// Returns the time at which the engine has to look at the record: the [end of the lease](Self::lease), or, if no operation
    /// is running, the time at which the binding expires, until the hook `expired` has been called.
    pub fn due(&self) -> Option<Timestamp> {
        let status = self.status()?;
        if let Some(lease) = self.lease() {
            return Some(lease);
        }
        let binding = self.binding().filter(|binding| status.phase == Phase::Ready && !binding.has_expired)?;
        binding.expires_at()
    }

    /// Returns the time at which a tombstone can be removed. `None` for an instance or binding that exists.
    pub fn forget_at(&self) -> Option<Timestamp> {
        self.tombstone().map(|tombstone| tombstone.forget_at)
    }
}
