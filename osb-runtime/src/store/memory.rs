//! A store in memory, which ends with the process.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::{poll_fn, ready},
    ops::Bound::{Excluded, Unbounded},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Mutex, MutexGuard, PoisonError},
    task::Poll,
};

use super::{Decision, Due, Key, Look, Pending, PlanUsage, Record, Store, StoreError, Timestamp};
use crate::protocol::debug_fields;

/// Number of shards, so that requests for different instances seldom wait for each other.
const SHARDS: usize = 256;

/// Largest number of tombstones, so that they can't fill the memory. The oldest are forgotten first.
const TOMBSTONES: usize = 16_384;

/// A store in memory, which ends with the process. It keeps at most 16,384 tombstones of deleted instances and bindings.
pub struct Memory {
    shards: Vec<Mutex<Shard>>,
    /// The tombstones of all shards, by the times at which they expire. Its lock is taken last.
    tombstones: Mutex<BTreeSet<Due>>,
}

/// Some of the records. They are in a tree: it grows without moving all of them, and ids that are made to collide don't slow it
/// down.
#[derive(Default)]
struct Shard {
    records: BTreeMap<Key, Slot>,
    /// The index of due times.
    due: BTreeSet<Due>,
}

#[derive(Default)]
struct Slot {
    /// `None` while a decision has it.
    record: Option<Record>,
    /// The times at which the record is due and expires, as they are in the indexes.
    times: [Option<Timestamp>; 2],
}

impl Memory {
    /// Makes an empty store.
    pub fn new() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), tombstones: Mutex::default() }
    }

    /// Returns the shard of an instance and its bindings, by a hash of its id that spreads eight bytes at once.
    fn shard(&self, key: &Key) -> MutexGuard<'_, Shard> {
        let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let (words, rest) = key.instance.as_str().as_bytes().as_chunks();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        let hash = words.chain(rest.iter().map(|byte| u64::from(*byte))).fold(0, mix);
        // The high bits depend on all others.
        lock(&self.shards[usize::try_from(hash >> 48).unwrap_or_default() % SHARDS])
    }

    /// Removes tombstones while `forgets` returns true, the oldest first.
    fn bury(&self, forgets: impl Fn(&BTreeSet<Due>) -> bool) {
        let oldest = || Some(lock(&self.tombstones)).filter(|all| forgets(all))?.pop_first();
        while let Some(Due { at, key }) = oldest() {
            let records = &mut self.shard(&key).records;
            if records.get(&key).is_some_and(|slot| slot.times[1] == Some(at)) {
                records.remove(&key);
            }
        }
    }
}

/// Locks a shard, or the tombstones. The lock is poisoned if a decision panicked, and they are still consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    /// Updates the indexes after a decision. Returns true if the record is a tombstone.
    fn index(&mut self, key: &Key, due: &mut BTreeSet<Due>, tombstones: &Mutex<BTreeSet<Due>>) -> bool {
        let after = self.record.as_ref().map_or([None; 2], |record| [record.due(), record.forget_at()]);
        let before = std::mem::replace(&mut self.times, after);
        let update = |index: &mut BTreeSet<Due>, time: usize| {
            let due = |at| Due { at, key: key.clone() };
            if let Some(before) = before[time].map(due) {
                index.remove(&before);
            }
            index.extend(after[time].map(due));
        };
        if before[0] != after[0] {
            update(due, 0);
        }
        if before[1] != after[1] {
            update(&mut lock(tombstones), 1);
        }
        after[1].is_some()
    }
}

impl Store for Memory {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        let Some(first) = keys.first() else { return done() };
        let mut shard = self.shard(first);
        let Shard { records, due } = &mut *shard;
        let mut has_tombstone = false;
        let decided = if let [key] = keys
            && let Some(slot) = records.get_mut(key)
        {
            let decided = catch_unwind(AssertUnwindSafe(|| decide(std::slice::from_mut(&mut slot.record))));
            has_tombstone = slot.index(key, due, &self.tombstones);
            if slot.record.is_none() {
                records.remove(key);
            }
            decided
        } else {
            let mut taken: Vec<_> = keys.iter().map(|key| records.get_mut(key)?.record.take()).collect();
            let decided = catch_unwind(AssertUnwindSafe(|| decide(&mut taken)));
            for (key, record) in keys.iter().zip(taken) {
                let slot = records.entry(key.clone()).or_default();
                slot.record = record;
                has_tombstone |= slot.index(key, due, &self.tombstones);
                if slot.record.is_none() {
                    records.remove(key);
                }
            }
            decided
        };
        decided.unwrap_or_else(|panic| resume_unwind(panic));
        drop(shard);
        if has_tombstone {
            self.bury(|tombstones| tombstones.len() > TOMBSTONES);
        }
        done()
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        look(self.shard(key).records.get(key).and_then(|slot| slot.record.as_ref()));
        done()
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>> {
        let mut due = Vec::new();
        for shard in &self.shards {
            let from = after.map_or(Unbounded, Excluded);
            due.extend(lock(shard).due.range((from, Unbounded)).take_while(|due| due.at <= now).take(limit).cloned());
        }
        due.sort_unstable();
        due.truncate(limit);
        Box::pin(ready(Ok(due)))
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>> {
        let mut found = BTreeMap::new();
        for shard in &self.shards {
            let shard = lock(shard);
            for (key, slot) in shard.records.range((after.map_or(Unbounded, Excluded), Unbounded)) {
                if found.len() >= limit && found.last_key_value().is_none_or(|(last, _)| last < key) {
                    break;
                }
                found.extend(slot.record.clone().map(|record| (key.clone(), Ok(record))));
                if found.len() > limit {
                    found.pop_last();
                }
            }
        }
        Box::pin(ready(Ok(found.into_iter().collect())))
    }

    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>> {
        let of = |shard: &Mutex<Shard>| {
            PlanUsage::sum(
                lock(shard).records.values().filter_map(|slot| slot.record.as_ref()).flat_map(Record::plan_usage),
            )
        };
        Box::pin(ready(Ok(PlanUsage::sum(self.shards.iter().flat_map(of)))))
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        self.bury(|tombstones| tombstones.first().is_some_and(|oldest| oldest.at <= now));
        done()
    }
}

/// A future that is ready, and takes no memory.
fn done() -> Pending<'static, ()> {
    Box::pin(poll_fn(|_| Poll::Ready(Ok(()))))
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

debug_fields!(Memory {});

#[cfg(test)]
#[path = "../../tests/unit/memory.rs"]
mod tests;
