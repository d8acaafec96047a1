//! The records of one transaction.

use std::borrow::Cow;

use super::{Event, answers};
use crate::{
    protocol::BindingId,
    store::{BindingRecord, Claim, Earlier, InstanceRecord, Key, OperationState, Phase, Record, Timestamp, Tombstone},
};

/// The records that a decision sees: an instance; or a binding with its instance and, for a rotation, its predecessor.
pub(super) struct Group<'a> {
    keys: &'a [Key],
    records: &'a mut [Option<Record>],
    /// Events to publish before those of the changes.
    pub(super) events: Vec<Event>,
    /// The decision found its own changes in the records: the store reported an error for a commit that has succeeded.
    pub(super) is_repeated: bool,
}

/// Returns the keys of a [`Group`].
pub(super) fn keys<'a>(key: &'a Key, predecessor: Option<&BindingId>) -> Cow<'a, [Key]> {
    let Some(binding) = &key.binding else { return std::slice::from_ref(key).into() };
    // A binding that names itself as its predecessor has none.
    let predecessor = predecessor.filter(|id| *id != binding).map(|id| key.of_binding(id.clone()));
    [key.of_instance(), key.clone()].into_iter().chain(predecessor).collect()
}

impl Claim {
    pub(super) fn keys(&self) -> Cow<'_, [Key]> {
        keys(&self.key, self.predecessor.as_ref())
    }
}

const INSTANCE: usize = 0;
const BINDING: usize = 1;
const PREDECESSOR: usize = 2;

impl<'a> Group<'a> {
    pub(super) fn new(keys: &'a [Key], records: &'a mut [Option<Record>]) -> Self {
        Self { keys, records, events: Vec::new(), is_repeated: false }
    }

    /// The place of the record that the decision is about.
    fn subject_index(&self) -> usize {
        if self.keys.len() > BINDING { BINDING } else { INSTANCE }
    }

    fn get(&self, index: usize) -> Option<&Record> {
        self.records.get(index)?.as_ref()
    }

    pub(super) fn key(&self) -> Option<&Key> {
        self.keys.get(self.subject_index())
    }

    /// Returns the record that the decision is about.
    pub(super) fn subject(&self) -> Option<&Record> {
        self.get(self.subject_index())
    }

    pub(super) fn subject_mut(&mut self) -> Option<&mut Record> {
        self.records.get_mut(self.subject_index())?.as_mut()
    }

    /// Replaces the record that the decision is about.
    pub(super) fn put(&mut self, record: impl Into<Record>) {
        let index = self.subject_index();
        let Some(slot) = self.records.get_mut(index) else { return };
        let mut record = record.into();
        // The id is used again. A late poll of an operation on the deleted record gets the end of that operation.
        if let (Some(status), Some(before)) = (record.status_mut(), slot.as_ref().and_then(Record::tombstone)) {
            status.earlier = operations(before);
        }
        *slot = Some(record);
    }

    pub(super) fn status(&self) -> Option<&OperationState> {
        self.subject()?.status()
    }

    pub(super) fn status_mut(&mut self) -> Option<&mut OperationState> {
        self.subject_mut()?.status_mut()
    }

    pub(super) fn phase(&self) -> Phase {
        phase(self.subject())
    }

    pub(super) fn instance_phase(&self) -> Phase {
        phase(self.get(INSTANCE))
    }

    pub(super) fn instance(&self) -> Option<&InstanceRecord> {
        self.get(INSTANCE)?.instance()
    }

    pub(super) fn instance_mut(&mut self) -> Option<&mut InstanceRecord> {
        self.records.get_mut(INSTANCE)?.as_mut()?.instance_mut()
    }

    pub(super) fn binding(&self) -> Option<&BindingRecord> {
        self.get(BINDING)?.binding()
    }

    pub(super) fn binding_mut(&mut self) -> Option<&mut BindingRecord> {
        self.records.get_mut(BINDING)?.as_mut()?.binding_mut()
    }

    pub(super) fn predecessor(&self) -> Option<&BindingRecord> {
        self.get(PREDECESSOR)?.binding()
    }

    /// Replaces the instance or the binding by a tombstone with the end of its newest operation.
    pub(super) fn leave_tombstone(&mut self, forget_at: Timestamp) {
        if let Some(tombstone) = self.status().map(|status| status.tombstone(forget_at)) {
            self.put(tombstone);
        }
    }

    /// [`leave_tombstone`](Self::leave_tombstone), as deleted if its newest operation has created it.
    pub(super) fn leave_tombstone_of_deletion(&mut self, forget_at: Timestamp) {
        let Some(status) = self.status() else { return };
        let is_delete = status.operation.is_delete();
        self.put(if is_delete { status.tombstone(forget_at) } else { status.deletion_tombstone(forget_at) });
    }

    /// Returns whether the instance or binding existed and was deleted; false after a create that failed without a trace.
    pub(super) fn was_deleted(&self) -> bool {
        self.subject().and_then(Record::tombstone).is_some_and(|tombstone| tombstone.is_delete)
    }

    /// Calls `decide`, and then updates the instance's data about its bindings.
    pub(super) fn decide<R>(&mut self, decide: impl FnOnce(&mut Self) -> R) -> R {
        let existed = self.binding().is_some();
        let decided = decide(self);
        self.count_binding(existed);
        decided
    }

    fn count_binding(&mut self, existed: bool) {
        let Some(id) = self.keys.get(BINDING).and_then(|key| key.binding.clone()) else { return };
        let exists = self.binding().is_some();
        let busy = self.binding().and_then(|binding| match binding.status.phase {
            Phase::Creating => Some(binding.predecessor.clone()),
            Phase::Deleting => {
                // The handler of a cancelled creation may still run, and use the predecessor.
                let may_run = binding.status.cancelled.as_ref().is_some_and(|create| !create.released);
                Some(binding.predecessor.clone().filter(|_| may_run))
            }
            _ => None,
        });
        let Some(instance) = self.instance() else { return };
        if existed == exists && instance.busy.get(&id) == busy.as_ref() {
            return;
        }
        let Some(instance) = self.instance_mut() else { return };
        match (existed, exists) {
            (false, true) => instance.bindings += 1,
            (true, false) => instance.bindings = instance.bindings.saturating_sub(1),
            _ => {}
        }
        match busy {
            Some(predecessor) => instance.busy.insert(id, predecessor),
            None => instance.busy.remove(&id),
        };
    }
}

fn operations(tombstone: &Tombstone) -> Vec<Earlier> {
    let Tombstone { operation, is_delete, failure, cancelled, .. } = tombstone.clone();
    let cancelled = cancelled.map(|id| Earlier { id, is_delete: false, failure: Some(answers::failed_by_deletion()) });
    [Earlier { id: operation, is_delete, failure }].into_iter().chain(cancelled).collect()
}

fn phase(record: Option<&Record>) -> Phase {
    record.map_or(Phase::None, Record::phase)
}
