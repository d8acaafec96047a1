//! The records of the engine. None of them implements `Debug` outside of tests, as most of them holds secrets (T68).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Phase, RecordError, Timestamp};
use crate::{
    protocol::{BindResource, BindingId, Context, InstanceId, Origin, RequestIdentity, Tenant},
    service::{Extras, Saved},
};

/// The key of a record. The tenant comes first: platforms don't see each other's instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The platform that the instance belongs to.
    pub tenant: Tenant,
    /// The instance.
    pub instance: InstanceId,
}

impl Key {
    /// The key as bytes that sort as keys do: the tenant's name, a zero byte, which no name contains, and the instance's
    /// id.
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
pub enum Place {
    /// The instance.
    Instance,
    /// The binding with this id.
    Binding(BindingId),
}

/// A service instance and its bindings, as one record. Its content is the engine's: a [`Store`](super::Store) keeps the
/// [bytes](Self::to_bytes) and indexes [`due`](Self::due) and [`uses`](Self::uses).
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
    pub(crate) context: Context,
    /// As the user gave them: defaults are filled in when they are read.
    pub(crate) parameters: Value,
    /// The author's; missing until the create has succeeded, or failed having saved some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<Saved>,
    /// What a failed change of plan had saved, with the id of the plan that it led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unfinished: Option<(String, Saved)>,
    pub(crate) extras: Extras,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maintenance_version: Option<String>,
    pub(crate) life: Life,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<Context>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) predecessor: Option<BindingId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<Saved>,
    /// What the binding gives: `credentials` and the like.
    pub(crate) output: Map<String, Value>,
    pub(crate) life: Life,
}

/// How far something is, and what is being done to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Life {
    pub(crate) phase: Phase,
    /// The newest operation, running or ended: what `last_operation` tells.
    pub(crate) operation: Operation,
    /// The create that the newest operation, a deletion, has cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cancelled: Option<Box<Cancelled>>,
    /// When it may be forgotten, once it is gone (LOI-09).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forget_at: Option<Timestamp>,
}

/// One piece of work, from the request that asked for it to its end.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Operation {
    /// Stable across repeated requests (PROV-13), and unique for ever.
    pub(crate) id: String,
    pub(crate) kind: Kind,
    /// How often it was begun: the fencing token of whoever works on it.
    pub(crate) attempt: u32,
    /// Until when the claim of whoever works on it holds.
    pub(crate) lease: Timestamp,
    /// When it has to be done.
    pub(crate) deadline: Timestamp,
    /// Whether the platform was told that it goes on in the background; otherwise somebody waits for the answer.
    pub(crate) accepted: bool,
    /// Whether the hooks, if there are any, have let it begin.
    pub(crate) admitted: bool,
    /// What its handler says of its progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<String>,
    /// The state that its handler has saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) checkpoint: Option<Saved>,
    /// Who asked for it, and in which request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) origin: Option<Origin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<RequestIdentity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<Ended>,
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operation").field("id", &self.id).field("attempt", &self.attempt).finish_non_exhaustive()
    }
}

/// What an operation does.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// `undo`: it has failed with this, and what it made is being removed.
    Create {
        undo: Option<Failed>,
    },
    Update(Box<Change>),
    /// What the thing was `before`: it is that again if the author refuses to delete it.
    Delete {
        before: Phase,
    },
}

/// How an operation ended.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ended {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<Failed>,
}

/// What a platform is told of a failure.
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
    pub(crate) operation: Operation,
    pub(crate) released: bool,
}

/// What an update comes to.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Change {
    /// The request, to recognise it when it comes again.
    pub(crate) wish: Wish,
    /// The id of the plan that the instance will have.
    pub(crate) plan_id: String,
    /// What the user sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<Value>,
    /// The parameters as they will be.
    pub(crate) after: Value,
    /// Whether maintenance was asked for, and is due.
    pub(crate) maintenance: bool,
    /// The version of maintenance that the instance will have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
    /// The context to remember.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<Context>,
}

/// What an update was asked to reach.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Wish {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plan_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maintenance_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) context: Option<Context>,
}

/// The right to work on an operation: what each of its writes is held against.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) key: Key,
    pub(crate) place: Place,
    pub(crate) operation: String,
    pub(crate) attempt: u32,
}

impl Operation {
    pub(crate) fn is_running(&self) -> bool {
        self.end.is_none()
    }

    /// Why it failed, if it did.
    pub(crate) fn failure(&self) -> Option<&Failed> {
        self.end.as_ref().and_then(|end| end.failure.as_ref())
    }

    pub(crate) fn is_delete(&self) -> bool {
        matches!(self.kind, Kind::Delete { .. })
    }

    /// Whether it has failed already, in the eyes of who waited for it, and is being cleaned up after.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.kind, Kind::Create { undo: Some(_) }) && !self.accepted
    }

    fn is(&self, claim: &Claim) -> bool {
        self.id == claim.operation && self.attempt == claim.attempt && self.is_running()
    }
}

/// What a claim is still good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fence {
    Holds,
    /// A deletion has cancelled the operation and waits for the claim to be released.
    Cancelled,
    /// Somebody else works on it now, or it has ended.
    Lost,
}

impl Life {
    pub(crate) fn fence(&self, claim: &Claim) -> Fence {
        if self.operation.is(claim) {
            return Fence::Holds;
        }
        match &self.cancelled {
            Some(cancelled) if !cancelled.released && cancelled.operation.is(claim) => Fence::Cancelled,
            _ => Fence::Lost,
        }
    }

    /// When somebody has to look at it, if nothing happens before.
    fn due(&self) -> Option<Timestamp> {
        if self.operation.is_running() { Some(self.operation.lease) } else { self.forget_at }
    }
}

impl Record {
    /// The life of the instance, or of a binding.
    pub(crate) fn life(&self, place: &Place) -> Option<&Life> {
        match place {
            Place::Instance => Some(&self.life),
            Place::Binding(id) => self.bindings.get(id).map(|binding| &binding.life),
        }
    }

    pub(crate) fn life_mut(&mut self, place: &Place) -> Option<&mut Life> {
        match place {
            Place::Instance => Some(&mut self.life),
            Place::Binding(id) => self.bindings.get_mut(id).map(|binding| &mut binding.life),
        }
    }

    /// The author's state of the instance, or of a binding.
    pub(crate) fn state_mut(&mut self, place: &Place) -> Option<&mut Option<Saved>> {
        match place {
            Place::Instance => Some(&mut self.state),
            Place::Binding(id) => self.bindings.get_mut(id).map(|binding| &mut binding.state),
        }
    }

    /// Whether a binding is being made or removed.
    pub(crate) fn has_busy_bindings(&self) -> bool {
        self.bindings.values().any(|binding| matches!(binding.life.phase, Phase::Creating | Phase::Deleting))
    }

    /// Whether a binding is being made that succeeds this one, and needs to know its state.
    pub(crate) fn is_being_succeeded(&self, id: &BindingId) -> bool {
        let mut made = self.bindings.values().filter(|binding| binding.life.phase == Phase::Creating);
        made.any(|binding| binding.predecessor.as_ref() == Some(id))
    }

    /// When the engine has to look at the record next: a lease ends, or a tombstone can go. `None`: never, unless a request
    /// changes the record first.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        let bindings = self.bindings.values().filter_map(|binding| binding.life.due());
        bindings.chain(self.life.due()).min()
    }
}
