//! Instances and bindings, for code of the author.

use serde_json::Value;

use super::{BindingRecord, InstanceRecord, Key, OperationState, Page, Phase, Record, Records, StoreError, Timestamp};
use crate::{
    json::{LazyObject, Members},
    protocol::{BindResource, BindingId, debug_text},
    service::StateJson,
};

/// An instance in the records. `Debug` prints its ids only, because the rest may be secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct StoredInstance {
    /// The tenant and the id.
    pub key: Key,
    /// The id of the service.
    pub service_id: String,
    /// The id of the plan.
    pub plan_id: String,
    /// The organization, if the platform has named one.
    pub organization_guid: Option<String>,
    /// The space, if the platform has named one.
    pub space_guid: Option<String>,
    /// The context of the last request that had one.
    pub context: LazyObject,
    /// The user's parameters, without defaults.
    pub parameters: Value,
    /// The author's state; `None` while the instance is being created.
    pub state: Option<StateJson>,
    /// The version of the last maintenance.
    pub maintenance_version: Option<String>,
    /// The number of bindings.
    pub bindings: u64,
    /// The phase, such as `Ready`.
    pub phase: Phase,
    /// The newest operation.
    pub operation: LastOperation,
}

/// A binding in the records. `Debug` prints its ids only, because the rest may be secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct StoredBinding {
    /// The tenant and the ids.
    pub key: Key,
    /// The id of the service.
    pub service_id: String,
    /// The id of the plan.
    pub plan_id: String,
    /// The user's parameters, without defaults.
    pub parameters: Value,
    /// The application or route.
    pub resource: BindResource,
    /// The binding that this one replaces.
    pub predecessor: Option<BindingId>,
    /// The author's state; `None` while the binding is being created.
    pub state: Option<StateJson>,
    /// The response of the bind, such as `credentials`.
    pub output: Members,
    /// The time at which the credentials expire.
    pub expires_at: Option<Timestamp>,
    /// The phase, such as `Ready`.
    pub phase: Phase,
    /// The newest operation.
    pub operation: LastOperation,
}

/// The newest operation on an instance or a binding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastOperation {
    /// The id of the operation.
    pub id: String,
    /// The time of the request.
    pub began_at: Timestamp,
    /// `true` if the operation is running.
    pub is_running: bool,
    /// The description of the failure.
    pub failure: Option<String>,
}

impl LastOperation {
    fn of(status: &OperationState) -> Self {
        let operation = &status.operation;
        Self {
            id: operation.id.to_string(),
            began_at: operation.began,
            is_running: operation.is_running(),
            failure: operation.failure().map(|failure| failure.description.clone()),
        }
    }
}

impl StoredInstance {
    fn of(key: &Key, record: &InstanceRecord) -> Self {
        Self {
            key: key.clone(),
            service_id: record.service_id.to_string(),
            plan_id: record.plan_id.to_string(),
            organization_guid: record.organization_guid.clone(),
            space_guid: record.space_guid.clone(),
            context: record.context.clone(),
            parameters: Value::clone(&record.parameters),
            state: record.state.clone(),
            maintenance_version: record.maintenance_version.clone(),
            bindings: record.bindings,
            phase: record.status.phase,
            operation: LastOperation::of(&record.status),
        }
    }
}

impl StoredBinding {
    pub(crate) fn of(key: &Key, record: &BindingRecord) -> Self {
        Self {
            key: key.clone(),
            service_id: record.service_id.to_string(),
            plan_id: record.plan_id.to_string(),
            parameters: Value::clone(&record.parameters),
            resource: record.resource.clone(),
            predecessor: record.predecessor.clone(),
            state: record.state.clone(),
            output: record.output.clone(),
            expires_at: record.expires_at(),
            phase: record.status.phase,
            operation: LastOperation::of(&record.status),
        }
    }
}

debug_text!(StoredInstance, Self { key, .. } => "StoredInstance({key:?})");
debug_text!(StoredBinding, Self { key, .. } => "StoredBinding({key:?})");

impl Records {
    /// Lists instances, in all phases, starting after a key; at most `limit`. For metering, and for tasks that look for
    /// instances of a kind:
    ///
    /// ```
    /// # use osb_runtime::store::{Key, Phase, Records, StoreError};
    /// # #[derive(serde::Deserialize)] struct Disk { bytes: u64 }
    /// async fn stored_bytes(records: &Records) -> Result<u64, Box<dyn std::error::Error>> {
    ///     let (mut bytes, mut last) = (0, None);
    ///     loop {
    ///         let page = records.instances(last.as_ref(), 100).await?;
    ///         for instance in page.entries.iter().filter(|instance| instance.phase == Phase::Ready) {
    ///             if let Some(state) = &instance.state {
    ///                 bytes += state.decode::<Disk>()?.bytes;
    ///             }
    ///         }
    ///         last = page.next;
    ///         if last.is_none() {
    ///             return Ok(bytes);
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The records are those of [`Settings::store`](crate::lifecycle::Settings::store). The list is read page by page while the
    /// broker works, so it is no snapshot. A record that can't be read is an error.
    pub async fn instances(&self, after: Option<&Key>, limit: usize) -> Result<Page<StoredInstance>, StoreError> {
        let entry = |key: &Key, record: Result<Record, _>| Ok(record?.instance().map(|it| StoredInstance::of(key, it)));
        Page::find(self.store(), after.cloned(), limit, entry).await
    }

    /// Lists bindings as [`instances`](Self::instances) lists instances. Those of one instance follow its key.
    pub async fn bindings(&self, after: Option<&Key>, limit: usize) -> Result<Page<StoredBinding>, StoreError> {
        let entry = |key: &Key, record: Result<Record, _>| Ok(record?.binding().map(|it| StoredBinding::of(key, it)));
        Page::find(self.store(), after.cloned(), limit, entry).await
    }
}
