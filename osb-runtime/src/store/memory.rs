//! A store in memory, which ends with the process.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt,
    future::ready,
    hash::{BuildHasher, RandomState},
    ops::Bound::{Excluded, Unbounded},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Decision, Due, Key, Look, Pending, PlanUsage, Record, Store, Timestamp, sum};

/// Number of shards. Each map stays small, because growing a map blocks it: one of 100,000 records for 50 ms.
const SHARDS: usize = 256;

/// Largest number of tombstones in each shard, so that they can't fill the memory. The oldest are forgotten first.
const TOMBSTONES: usize = 64;

/// A store in memory, which ends with the process. It keeps at most 16,384 tombstones of deleted instances and bindings.
pub struct Memory {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

#[derive(Default)]
struct Shard {
    records: HashMap<Key, Record>,
    /// The index of due times.
    due: BTreeSet<Due>,
    /// The tombstones, by the times at which they expire.
    tombstones: BTreeSet<Due>,
}

impl Memory {
    /// Makes an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), hasher: RandomState::new() }
    }

    /// Returns the shard of an instance and its bindings.
    fn shard(&self, key: &Key) -> MutexGuard<'_, Shard> {
        let hash = self.hasher.hash_one((&key.tenant, &key.instance));
        lock(&self.shards[usize::try_from(hash % SHARDS as u64).unwrap_or_default()])
    }
}

/// Locks a shard. The lock is poisoned if a decision panicked, and the shard is still consistent.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The times at which a record is due and expires.
fn times(record: Option<&Record>) -> [Option<Timestamp>; 2] {
    [record.and_then(Record::due), record.and_then(Record::forget_at)]
}

/// Records that are taken out of their shard for a decision, and are put back when this value is dropped.
struct Taken<'a> {
    shard: &'a mut Shard,
    keys: &'a [Key],
    records: Vec<Option<Record>>,
    before: Vec<[Option<Timestamp>; 2]>,
}

impl<'a> Taken<'a> {
    fn new(shard: &'a mut Shard, keys: &'a [Key]) -> Self {
        let records: Vec<_> = keys.iter().map(|key| shard.records.remove(key)).collect();
        let before = records.iter().map(|record| times(record.as_ref())).collect();
        Self { shard, keys, records, before }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let Shard { records, due, tombstones } = &mut *self.shard;
        for ((key, record), before) in self.keys.iter().zip(self.records.drain(..)).zip(&self.before) {
            let after = times(record.as_ref());
            for (index, (before, after)) in [&mut *due, &mut *tombstones].into_iter().zip(before.iter().zip(after)) {
                if *before != after {
                    let due = |at| Due { at, key: key.clone() };
                    if let Some(before) = before {
                        index.remove(&due(*before));
                    }
                    index.extend(after.map(due));
                }
            }
            if let Some(record) = record {
                records.insert(key.clone(), record);
            }
        }
        while tombstones.len() > TOMBSTONES
            && let Some(oldest) = tombstones.pop_first()
        {
            records.remove(&oldest.key);
        }
    }
}

impl Store for Memory {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        if let Some(first) = keys.first() {
            let mut shard = self.shard(first);
            decide(&mut Taken::new(&mut shard, keys).records);
        }
        Box::pin(ready(Ok(())))
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        look(self.shard(key).records.get(key));
        Box::pin(ready(Ok(())))
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, most: usize) -> Pending<'a, Vec<Due>> {
        let mut due = Vec::new();
        for shard in &self.shards {
            let from = after.map_or(Unbounded, Excluded);
            due.extend(lock(shard).due.range((from, Unbounded)).take_while(|due| due.at <= now).take(most).cloned());
        }
        due.sort_unstable();
        due.truncate(most);
        Box::pin(ready(Ok(due)))
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, most: usize) -> Pending<'a, Vec<(Key, Record)>> {
        let mut found = BTreeMap::new();
        for shard in &self.shards {
            for (key, record) in lock(shard).records.iter().filter(|(key, _)| after.is_none_or(|after| *key > after)) {
                if found.len() < most || found.last_key_value().is_some_and(|(last, _)| key < last) {
                    found.insert(key.clone(), record.clone());
                }
                if found.len() > most {
                    found.pop_last();
                }
            }
        }
        Box::pin(ready(Ok(found.into_iter().collect())))
    }

    fn uses(&self) -> Pending<'_, Vec<PlanUsage>> {
        let of = |shard: &Mutex<Shard>| sum(lock(shard).records.values().flat_map(Record::uses));
        Box::pin(ready(Ok(sum(self.shards.iter().flat_map(of)))))
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        for shard in &self.shards {
            let Shard { records, tombstones, .. } = &mut *lock(shard);
            while tombstones.first().is_some_and(|oldest| oldest.at <= now)
                && let Some(oldest) = tombstones.pop_first()
            {
                records.remove(&oldest.key);
            }
        }
        Box::pin(ready(Ok(())))
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

#[cfg(test)]
#[path = "../../tests/unit/memory.rs"]
mod tests;
