//! The suite for stores refuses a store whose transactions on several records are not isolated, or not atomic, and stores
//! with smaller mistakes.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, OnceLock},
    time::Duration,
};

use osb_runtime::store::{
    Decision, Due, Key, Look, Memory, Pending, PlanUsage, Record, Store, StoreError, Timestamp, Wake,
};
use tokio::{
    runtime::Handle,
    sync::{Mutex, Semaphore},
    task::yield_now,
    time::timeout,
};

use super::{Opened, shared::a_request_that_waits_is_woken, shared_suite, suite};

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
    suite(|| Arc::new(Memory::new()));
}

#[test]
#[should_panic(expected = "an instance counts the bindings that were stored with it")]
fn transactions_that_are_not_isolated_fail() {
    suite(|| Arc::new(Torn { records: Memory::new(), lock: None }));
}

#[test]
#[should_panic(expected = "an instance counts the bindings that were stored with it")]
fn transactions_that_are_not_atomic_fail() {
    suite(|| Arc::new(Torn { records: Memory::new(), lock: Some(Mutex::new(())) }));
}

/// A mistake of the author of a store.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mistake {
    /// A column for keys has 255 bytes.
    ShortKeys,
    /// Keys are compared without spaces at their end, as some collations do.
    PaddedKeys,
    /// A record has a limit, as values of some databases have.
    SmallRecords,
    /// Times are signed integers.
    SignedTimes,
    /// A page starts where the record `after` is, which has to exist.
    PageAfterRecord,
    /// A page of due records starts at the time at which the record `after` is due now.
    DueAfterRecord,
    /// A tombstone is forgotten after its time.
    LateForget,
    /// A record has one plan.
    OnePlan,
    /// A binding counts as an instance.
    BindingsAreInstances,
    /// Plans are ordered by their id alone.
    OrderByPlan,
    /// Each call recovers the operations.
    AlwaysRecovers,
    /// The clock counts seconds.
    Seconds,
    /// Requests that wait are not notified.
    NeverWakes,
    /// A page of due records has less than it could.
    ShortPages,
    /// The index of due times has the leases, and not the bindings that expire.
    OnlyLeasesAreDue,
    /// A record that does not exist is not looked at.
    NoLookAtNone,
    /// A page starts with the record `after`.
    PageFromAfter,
    /// An optimistic transaction compares the first record only.
    ComparesFirst,
    /// An optimistic transaction compares only the records that it writes.
    ComparesWritten,
    /// An optimistic transaction compares nothing.
    ComparesNothing,
    /// The panic of a decision is an error.
    PanicIsError,
    /// A request that is dropped does not release the lock.
    KeepsLock,
    /// Requests run in the runtime of the first one.
    FirstRuntime,
    /// A transaction stores two records.
    TwoRecords,
    /// A page of due records has one more than it should.
    LongPagesOfDue,
    /// A page of all records has one more than it should.
    LongPagesOfAll,
}

/// A store in memory with a mistake, a lock, and a runtime.
struct Mistaken(Memory, Mistake, Semaphore, OnceLock<Handle>);

impl Mistaken {
    fn open(mistake: Mistake) -> Opened {
        Arc::new(Self(Memory::new(), mistake, Semaphore::new(1), OnceLock::new()))
    }

    /// Takes the lock, until `add_permits`, or joins the first runtime.
    async fn begin(&self) -> Result<(), StoreError> {
        if self.1 == Mistake::FirstRuntime {
            let joined = self.3.get_or_init(Handle::current).spawn(async {}).await;
            joined.map_err(|_| StoreError::new("the runtime has ended"))?;
        }
        if self.1 == Mistake::KeepsLock {
            let lock = timeout(Duration::from_secs(1), self.2.acquire()).await;
            lock.map_err(|_| StoreError::new("the store is locked"))?.expect("it is never closed").forget();
            yield_now().await;
        }
        Ok(())
    }

    fn key(&self, key: &Key) -> Key {
        let mut key = key.clone();
        if self.1 == Mistake::ShortKeys {
            key.instance = key.instance.as_str().chars().take(255).collect::<String>().as_str().into();
        }
        if self.1 == Mistake::PaddedKeys {
            key.instance = key.instance.as_str().trim_end_matches(' ').into();
        }
        key
    }

    fn transact_optimistically<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        let json = |record: &Option<Record>| serde_json::to_value(record).expect("records are JSON");
        Box::pin(async move {
            loop {
                let mut before: Vec<Option<Record>> = Vec::new();
                self.0.transact(keys, &mut |found| before = found.to_vec()).await?;
                let mut after = before.clone();
                decide(&mut after);
                yield_now().await;
                let mut is_stored = false;
                let store = &mut |found: &mut [Option<Record>]| {
                    is_stored = (0..found.len()).all(|i| {
                        let compared = match self.1 {
                            Mistake::ComparesFirst => i == 0,
                            Mistake::ComparesNothing => false,
                            _ => json(&before[i]) != json(&after[i]),
                        };
                        !compared || json(&found[i]) == json(&before[i])
                    });
                    for (i, found) in found.iter_mut().enumerate().filter(|_| is_stored) {
                        if json(&before[i]) != json(&after[i]) {
                            found.clone_from(&after[i]);
                        }
                    }
                };
                self.0.transact(keys, store).await?;
                if is_stored {
                    return Ok(());
                }
            }
        })
    }
}

impl Store for Mistaken {
    fn transact<'a>(&'a self, keys: &'a [Key], decide: Decision<'a>) -> Pending<'a, ()> {
        if matches!(self.1, Mistake::ComparesFirst | Mistake::ComparesWritten | Mistake::ComparesNothing) {
            return self.transact_optimistically(keys, decide);
        }
        Box::pin(async move {
            let keys: Vec<Key> = keys.iter().map(|key| self.key(key)).collect();
            let (mut is_large, mut has_panicked) = (false, false);
            let limited = &mut |found: &mut [Option<Record>]| {
                let before = found.to_vec();
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| decide(found))) {
                    has_panicked = self.1 == Mistake::PanicIsError;
                    if !has_panicked {
                        self.2.add_permits(1);
                        resume_unwind(panic);
                    }
                }
                if self.1 == Mistake::TwoRecords {
                    found.iter_mut().zip(&before).skip(2).for_each(|(found, before)| found.clone_from(before));
                }
                let length = |record: &Record| serde_json::to_vec(record).map_or(0, |json| json.len());
                is_large = found.iter().flatten().any(|record| length(record) > 1 << 16);
                if is_large && self.1 == Mistake::SmallRecords {
                    found.clone_from_slice(&before);
                }
            };
            self.begin().await?;
            self.0.transact(&keys, limited).await?;
            self.2.add_permits(1);
            let is_refused = has_panicked || is_large && self.1 == Mistake::SmallRecords;
            if is_refused { Err(StoreError::new("the record is refused")) } else { Ok(()) }
        })
    }

    fn read<'a>(&'a self, key: &'a Key, look: Look<'a>) -> Pending<'a, ()> {
        Box::pin(async move {
            let is_none = &mut |found: Option<&Record>| {
                if found.is_some() || self.1 != Mistake::NoLookAtNone {
                    look(found);
                }
            };
            self.0.read(&self.key(key), is_none).await
        })
    }

    fn due<'a>(&'a self, now: Timestamp, after: Option<&'a Due>, limit: usize) -> Pending<'a, Vec<Due>> {
        Box::pin(async move {
            let mut after = after.cloned();
            if self.1 == Mistake::DueAfterRecord
                && let Some(after) = &mut after
            {
                self.0
                    .read(&after.key.clone(), &mut |record| {
                        after.at = record.and_then(Record::due).unwrap_or(Timestamp::MAX);
                    })
                    .await?;
            }
            let now = if self.1 == Mistake::SignedTimes && i64::try_from(now.as_millis()).is_err() {
                Timestamp::default() // -1, in a database
            } else {
                now
            };
            let limit = limit + usize::from(self.1 == Mistake::LongPagesOfDue);
            let mut due = self.0.due(now, after.as_ref(), limit).await?;
            if self.1 == Mistake::ShortPages && limit > 1 {
                due.truncate(limit - 1);
            }
            if self.1 == Mistake::OnlyLeasesAreDue {
                let all = self.0.list(None, usize::MAX).await?;
                let has_lease = |(_, record): &(Key, Result<Record, StoreError>)| {
                    record.as_ref().is_ok_and(|record| record.lease().is_some())
                };
                due.retain(|due| all.iter().any(|one| one.0 == due.key && has_lease(one)));
            }
            Ok(due)
        })
    }

    fn list<'a>(&'a self, after: Option<&'a Key>, limit: usize) -> Pending<'a, Vec<(Key, Result<Record, StoreError>)>> {
        Box::pin(async move {
            let mut is_there = true;
            if let Some(after) = after.filter(|_| self.1 == Mistake::PageAfterRecord) {
                self.0.read(after, &mut |record| is_there = record.is_some()).await?;
            }
            if let Some(after) = after.filter(|_| self.1 == Mistake::PageFromAfter) {
                let all = self.0.list(None, usize::MAX).await?;
                return Ok(all.into_iter().filter(|(key, _)| key >= after).take(limit).collect());
            }
            let limit = limit + usize::from(self.1 == Mistake::LongPagesOfAll);
            if is_there { self.0.list(after, limit).await } else { Ok(Vec::new()) }
        })
    }

    fn plan_usage(&self) -> Pending<'_, Vec<PlanUsage>> {
        Box::pin(async move {
            let all = self.0.list(None, usize::MAX).await?;
            let plans = if self.1 == Mistake::OnePlan { 1 } else { 2 };
            let readable = all.iter().filter_map(|(_, record)| record.as_ref().ok());
            let usage = |record: &Record| record.plan_usage().take(plans).collect::<Vec<_>>();
            let mut usage: Vec<PlanUsage> = readable.flat_map(usage).collect();
            if self.1 == Mistake::BindingsAreInstances {
                for one in &mut usage {
                    one.instances += std::mem::take(&mut one.bindings);
                }
            }
            let mut usage = PlanUsage::sum(usage);
            if self.1 == Mistake::OrderByPlan {
                usage.sort_by(|one, other| one.plan_id.cmp(&other.plan_id));
            }
            Ok(usage)
        })
    }

    fn forget(&self, now: Timestamp) -> Pending<'_, ()> {
        let late = u64::from(self.1 == Mistake::LateForget);
        self.0.forget(Timestamp::from_millis(now.as_millis().saturating_sub(late)))
    }

    fn take_recovery(&self) -> bool {
        self.1 == Mistake::AlwaysRecovers
    }

    fn now(&self) -> Option<Timestamp> {
        let now = Timestamp::from(std::time::SystemTime::now()).as_millis();
        (self.1 == Mistake::Seconds).then(|| Timestamp::from_millis(now / 1000))
    }

    fn changed<'a>(&'a self, key: &'a Key) -> Wake<'a> {
        if self.1 == Mistake::NeverWakes { Box::pin(std::future::pending()) } else { self.0.changed(key) }
    }
}

/// Returns the message with which a test fails.
fn failure(run: impl FnOnce()) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(run)) else { return "none".to_owned() };
    let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    said.unwrap_or_default().to_owned()
}

#[test]
fn smaller_mistakes_fail() {
    for (mistake, expected) in [
        (Mistake::ShortKeys, "has a record of its own"),
        (Mistake::SmallRecords, "two records of 1 MiB are stored in one transaction"),
        (Mistake::SignedTimes, "`Timestamp::MAX` is the last one"),
        (Mistake::PageAfterRecord, "`list` starts after a key although its record has been removed"),
        (Mistake::DueAfterRecord, "`due` starts after a time and a key although that record has been removed"),
        (Mistake::OnePlan, "each plan of `Record::plan_usage` once"),
        (Mistake::BindingsAreInstances, "each plan of `Record::plan_usage` once"),
        (Mistake::OrderByPlan, "each plan of `Record::plan_usage` once"),
        (Mistake::AlwaysRecovers, "only the first call of `take_recovery` returns true"),
        (Mistake::Seconds, "`now` is in milliseconds since 1970"),
        (Mistake::OnlyLeasesAreDue, "a binding that expires has no lease, but `Record::due`"),
        (Mistake::ComparesNothing, "concurrent writers lose no update"),
        (Mistake::PanicIsError, "the panic of a decision is not swallowed"),
        (Mistake::KeepsLock, "a dropped request blocks no other"),
        (Mistake::FirstRuntime, "a store outlives each runtime in which it is used"),
        (Mistake::TwoRecords, "the store does not agree with a map"),
    ] {
        let said = failure(|| suite(|| Mistaken::open(mistake)));
        assert!(said.contains(expected), "{mistake:?}: {said}");
    }
    // Random steps may find these first.
    for mistake in [
        Mistake::PaddedKeys,
        Mistake::LateForget,
        Mistake::ShortPages,
        Mistake::LongPagesOfDue,
        Mistake::LongPagesOfAll,
        Mistake::NoLookAtNone,
        Mistake::PageFromAfter,
    ] {
        let said = failure(|| suite(|| Mistaken::open(mistake)));
        assert_ne!(said, "none", "{mistake:?}");
    }
}

#[test]
fn transactions_that_compare_some_of_the_records_fail() {
    for mistake in [Mistake::ComparesFirst, Mistake::ComparesWritten] {
        let said = failure(|| suite(|| Mistaken::open(mistake)));
        assert!(
            said.contains("latest version of each record") || said.contains("counts the bindings"),
            "{mistake:?}: {said}"
        );
    }
}

#[test]
fn processes_that_share_a_store_do_not_recover_operations_of_each_other() {
    let open = || {
        let store = Mistaken::open(Mistake::AlwaysRecovers);
        [Arc::clone(&store), store]
    };
    let said = failure(|| shared_suite(open));
    assert!(said.contains("its operations may be running"), "{said}");
}

/// The clock is paused, because the suite is patient.
#[tokio::test(start_paused = true)]
#[should_panic(expected = "`changed` completes after a change")]
async fn processes_that_share_a_store_are_notified() {
    let store = Mistaken::open(Mistake::NeverWakes);
    a_request_that_waits_is_woken([Arc::clone(&store), store]).await;
}
