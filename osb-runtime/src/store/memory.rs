//! A store in memory, which ends with the process.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    future::ready,
    hash::{BuildHasher, RandomState},
    ops::Bound::{Excluded, Unbounded},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Decision, Due, Key, Look, Pending, PlanUsage, Record, Store, Timestamp, sum};

/// Number of shards. Each map stays small, because growing a map blocks it: one of 100,000 records for 50 ms.
const SHARDS: usize = 256;

/// A store in memory, which ends with the process.
pub struct Memory {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

#[derive(Default)]
struct Shard {
    /// `None` only during a decision, or after one that panicked, because decisions call the author's code.
    records: HashMap<Key, Option<Record>>,
    /// The index of due times.
    due: BTreeSet<Due>,
}

impl Memory {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    fn shard(&self, key: &Key) -> MutexGuard<'_, Shard> {
        let index = usize::try_from(self.hasher.hash_one(key) % SHARDS as u64).unwrap_or_default();
        // The lock is poisoned if a decision panicked, and the shard is still consistent.
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn transact<'a>(&'a self, key: &'a Key, decide: Decision<'a>) -> Pending<'a, ()> {
        let mut guard = self.shard(key);
        let shard = &mut *guard;
        let record = shard.records.entry(key.clone()).or_default();
        let before = record.as_ref().and_then(Record::due);
        decide(record);
        let after = record.as_ref().and_then(Record::due);
        if record.is_none() {
            shard.records.remove(key);
        }
        if before != after {
            let due = |at| Due { at, key: key.clone() };
            if let Some(before) = before {
                shard.due.remove(&due(before));
            }
            shard.due.extend(after.map(due));
        }
        Box::pin(ready(Ok(())))
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        look(self.shard(key).records.get(key).and_then(Option::as_ref));
        Box::pin(ready(Ok(())))
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, most: usize) -> Pending<'a, Vec<Due>> {
        let mut due = Vec::new();
        for shard in &self.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let from = after.map_or(Unbounded, Excluded);
            due.extend(shard.due.range((from, Unbounded)).take_while(|due| due.at <= now).take(most).cloned());
        }
        due.sort_unstable();
        due.truncate(most);
        Box::pin(ready(Ok(due)))
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, most: usize) -> Pending<'a, Vec<(Key, Record)>> {
        let mut keys = Vec::new();
        for shard in &self.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            keys.extend(shard.records.keys().filter(|key| after.is_none_or(|after| *key > after)).cloned());
        }
        keys.sort_unstable();
        keys.truncate(most);
        let record = |key: Key| {
            let record = self.shard(&key).records.get(&key).cloned().flatten();
            record.map(|record| (key, record))
        };
        Box::pin(ready(Ok(keys.into_iter().filter_map(record).collect())))
    }

    fn uses(&self) -> Pending<'_, Vec<PlanUsage>> {
        let of = |shard: &Mutex<Shard>| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            sum(shard.records.values().flatten().flat_map(Record::uses))
        };
        Box::pin(ready(Ok(sum(self.shards.iter().flat_map(of)))))
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}
