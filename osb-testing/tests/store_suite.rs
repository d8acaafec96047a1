//! The suite for stores refuses a store whose transactions on several records are not isolated, or not atomic.

use std::sync::Arc;

use osb_runtime::store::{Decision, Due, Key, Look, Memory, Pending, PlanUsage, Record, Store, StoreError, Timestamp};
use tokio::{sync::Mutex, task::yield_now};

/// A store that writes each record of a transaction by a transaction of its own.
struct Torn {
    records: Memory,
    /// The lock of transactions that are isolated.
    lock: Option<Mutex<()>>,
}

impl Store for Torn {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            if keys.len() == 1 {
                return self.records.transact(keys, decide).await;
            }
            let _guard = match &self.lock {
                Some(lock) => Some(lock.lock().await),
                None => None,
            };
            let mut records: Vec<Option<Record>> = Vec::new();
            for key in keys {
                self.records.read(key, &mut |record| records.push(record.cloned())).await?;
            }
            yield_now().await;
            decide(&mut records);
            for (key, record) in keys.iter().zip(records) {
                self.records.transact(std::slice::from_ref(key), &mut |found| found[0].clone_from(&record)).await?;
                yield_now().await;
            }
            Ok(())
        })
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        self.records.read(key, look)
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>> {
        self.records.due(now, after, limit)
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>> {
        self.records.list(after, limit)
    }

    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>> {
        self.records.plan_usage()
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        self.records.forget(now)
    }
}

#[test]
fn a_store_in_memory_passes() {
    osb_testing::store::suite(|| Arc::new(Memory::new()));
}

#[test]
#[should_panic(expected = "an instance counts the bindings that were stored with it")]
fn transactions_that_are_not_isolated_fail() {
    osb_testing::store::suite(|| Arc::new(Torn { records: Memory::new(), lock: None }));
}

#[test]
#[should_panic(expected = "an instance counts the bindings that were stored with it")]
fn transactions_that_are_not_atomic_fail() {
    osb_testing::store::suite(|| Arc::new(Torn { records: Memory::new(), lock: Some(Mutex::new(())) }));
}
