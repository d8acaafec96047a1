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
        let mut record = shard.remove(instance);
        let outcome = decide(&mut record);
        if let Some(record) = record {
            shard.insert(instance.clone(), record);
        }
        outcome
    }
}
