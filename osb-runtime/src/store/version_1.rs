//! Reads records of version 1, in which an instance and its bindings were one record.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;

use super::{
    BindingRecord, Cancelled, InstanceRecord, Key, OperationRecord, OperationState, Phase, Record, RecordError,
    Timestamp, Tombstone,
};
use crate::{
    json::{self, LazyObject, Members, SharedValue},
    protocol::{BindResource, BindingId},
    service::{Extras, StateJson},
};

#[derive(Deserialize)]
struct Instance {
    service_id: Cow<'static, str>,
    plan_id: Cow<'static, str>,
    organization_guid: Option<String>,
    space_guid: Option<String>,
    context: LazyObject,
    parameters: SharedValue,
    state: Option<StateJson>,
    unfinished: Option<(String, StateJson)>,
    extras: Extras,
    maintenance_version: Option<String>,
    life: State,
    bindings: BTreeMap<BindingId, Binding>,
}

#[derive(Deserialize)]
struct Binding {
    service_id: Cow<'static, str>,
    plan_id: Cow<'static, str>,
    parameters: SharedValue,
    resource: BindResource,
    context: Option<LazyObject>,
    predecessor: Option<BindingId>,
    state: Option<StateJson>,
    output: Members,
    life: State,
}

#[derive(Deserialize)]
struct State {
    phase: Phase,
    operation: OperationRecord,
    cancelled: Option<Box<Cancelled>>,
    forget_at: Option<Timestamp>,
}

impl State {
    /// Returns the state, or the tombstone of an instance or binding that does not exist any more.
    fn convert(self) -> Result<OperationState, Tombstone> {
        let Self { phase, operation, cancelled, forget_at } = self;
        let status = OperationState { phase, operation, cancelled, earlier: Vec::new() };
        if phase == Phase::Gone { Err(status.tombstone(forget_at.unwrap_or_default())) } else { Ok(status) }
    }
}

const VERSION: u8 = 1;

/// Reads an entry of version 1, and returns the records of the instance and of its bindings.
///
/// # Errors
///
/// If the bytes have another version, or are damaged.
pub fn read_version_1(key: &[u8], bytes: &[u8]) -> Result<Vec<(Key, Record)>, RecordError> {
    let text = std::str::from_utf8(key).map_err(|_| RecordError::Key)?;
    let (tenant, instance) = text.split_once('\0').ok_or(RecordError::Key)?;
    let tenant = tenant.parse().map_err(|_| RecordError::Key)?;
    let key = Key { tenant, instance: instance.into(), binding: None };
    let instance: Instance = match bytes.split_first() {
        Some((&VERSION, content)) => json::from_slice(content).map_err(RecordError::Content)?,
        Some((&version, _)) => return Err(RecordError::Version(version)),
        None => return Err(RecordError::Empty),
    };
    let (mut records, mut count, mut busy) = (Vec::new(), 0, BTreeMap::new());
    for (id, binding) in instance.bindings {
        let key = key.of_binding(id.clone());
        let record = match binding.life.convert() {
            Err(tombstone) => tombstone.into(),
            Ok(status) => {
                count += 1;
                if matches!(status.phase, Phase::Creating | Phase::Deleting) {
                    busy.insert(id, binding.predecessor.clone().filter(|_| status.phase == Phase::Creating));
                }
                Record::from(BindingRecord {
                    service_id: binding.service_id,
                    plan_id: binding.plan_id,
                    parameters: binding.parameters,
                    resource: binding.resource,
                    context: binding.context,
                    predecessor: binding.predecessor,
                    state: binding.state,
                    output: binding.output,
                    read_by: None,
                    has_expired: false,
                    created: Timestamp::default(),
                    status,
                })
            }
        };
        records.push((key, record));
    }
    let record = match instance.life.convert() {
        Err(tombstone) => tombstone.into(),
        Ok(status) => Record::from(InstanceRecord {
            service_id: instance.service_id,
            plan_id: instance.plan_id,
            organization_guid: instance.organization_guid,
            space_guid: instance.space_guid,
            context: instance.context,
            parameters: instance.parameters,
            state: instance.state,
            unfinished: instance.unfinished,
            half_updated: false,
            extras: instance.extras,
            maintenance_version: instance.maintenance_version,
            status,
            bindings: count,
            busy,
        }),
    };
    records.push((key, record));
    Ok(records)
}
