//! Records in memory: gone when the process ends.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Mutex, PoisonError},
};

use super::InstanceRecord;
use crate::protocol::InstanceId;

/// So many that none grows to where moving it would be felt: one map of 100,000 records stands still for 50 ms.
const SHARDS: usize = 256;

#[derive(Debug)]
pub(crate) struct Memory {
    shards: Vec<Mutex<HashMap<InstanceId, InstanceRecord>>>,
    hasher: RandomState,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    /// Lets `decide` see and change the record of an instance, with no other decision about it in between.
    ///
    /// `decide` may be called again, and must have no effect but on the record.
    #[expect(clippy::unused_async, reason = "a store on disk waits here")]
    pub(crate) async fn transact<R>(
        &self,
        instance: &InstanceId,
        mut decide: impl FnMut(&mut Option<InstanceRecord>) -> R,
    ) -> R {
        let index = usize::try_from(self.hasher.hash_one(instance)).unwrap_or_default() % SHARDS;
        // A decision that panicked has changed nothing that another one could not read.
        let mut shard = self.shards[index].lock().unwrap_or_else(PoisonError::into_inner);
        let record = shard.remove(instance);
        decide(&mut Taken { shard: &mut shard, instance, record }.record)
    }
}

/// A record that is put back when the decision about it ends, also if it panics: it calls code of the author's.
struct Taken<'a> {
    shard: &'a mut HashMap<InstanceId, InstanceRecord>,
    instance: &'a InstanceId,
    record: Option<InstanceRecord>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(record) = self.record.take() {
            self.shard.insert(self.instance.clone(), record);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashMap,
        panic::{AssertUnwindSafe, catch_unwind},
    };

    use serde_json::Value;

    use super::Memory;
    use crate::{
        protocol::{Context, InstanceId},
        service::Extras,
        store::{InstanceRecord, Phase},
    };

    fn record() -> InstanceRecord {
        InstanceRecord {
            service_id: "s".to_owned(),
            plan_id: "p".to_owned(),
            organization_guid: None,
            space_guid: None,
            context: Context::default(),
            parameters: Value::Null,
            state: None,
            extras: Extras::default(),
            maintenance_version: None,
            phase: Phase::Ready,
            bindings: HashMap::new(),
        }
    }

    #[test]
    fn a_decision_that_panics_loses_no_record() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let (store, id) = (Memory::new(), InstanceId::from("i"));
        runtime.block_on(store.transact(&id, |found| *found = Some(record())));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            runtime.block_on(store.transact(&id, |_| panic!("as an author's Deserialize may")))
        }));
        assert!(panicked.is_err());
        assert!(runtime.block_on(store.transact(&id, |found| found.is_some())), "it could never be deleted");
    }
}
