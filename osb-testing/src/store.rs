//! The test suite for stores, which each implementation of [`Store`] passes.
//!
//! ```
//! use osb_runtime::store::Memory;
//! use std::sync::Arc;
//!
//! osb_testing::store::suite(|| Arc::new(Memory::new()));
//! ```
//!
//! A store that outlives the process also passes [`agrees_with_a_map`] with a function that reopens it, and one that several
//! processes share passes [`shared_suite`].

mod edges;
mod shared;

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    hash::{BuildHasher, RandomState},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use osb_runtime::store::{Due, Key, PlanUsage, Record, Store, StoreError, Timestamp};
use serde_json::json;

pub use shared::shared_suite;

/// A store under test.
pub type Opened = Arc<dyn Store>;

/// Tests a store; `open` opens an empty one.
///
/// # Panics
///
/// If the store breaks the contract of [`Store`].
pub fn suite(open: impl Fn() -> Opened) {
    test_all(&open);
}

/// Compiled once, for all functions that open a store.
fn test_all(open: &dyn Fn() -> Opened) {
    agrees_with_a_map(open, async |store| store);
    in_runtime(4, concurrent_writers_lose_no_update(open()));
    in_runtime(4, concurrent_groups_are_isolated(open()));
    in_runtime(4, records_that_are_only_read_are_isolated_too(open()));
    in_runtime(1, a_panicking_decision_changes_nothing(open()));
    in_runtime(2, a_dropped_request_blocks_no_other(open()));
    in_runtime(2, a_dropped_request_is_stored_whole_or_not_at_all(open()));
    in_runtime(1, edges::keys_are_distinct(open()));
    in_runtime(1, edges::pages_start_after_a_record_that_has_changed(open()));
    in_runtime(1, edges::times_have_64_bits(open()));
    in_runtime(1, edges::bindings_that_expire_are_due(open()));
    in_runtime(1, edges::only_expired_tombstones_are_forgotten(open()));
    in_runtime(1, edges::large_records_are_kept(open()));
    in_runtime(1, edges::all_plans_in_use_are_counted(open()));
    edges::claims_and_times_are_plausible(&*open());
    let store = open();
    for _ in 0..20 {
        in_runtime(1, async {
            // The runtime ends while this task runs.
            tokio::spawn(hammer(Arc::clone(&store)));
            add_one(&*store, &key("", "a")).await.expect("a store outlives each runtime in which it is used");
        });
    }
}

/// Runs a test on a runtime with so many threads.
fn in_runtime(workers: usize, test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build();
    // `block_on` is large: without the box, there is a copy of it for each test.
    let test: Pin<Box<dyn Future<Output = ()> + '_>> = Box::pin(finish(test));
    runtime.expect("a runtime").block_on(test);
}

/// Makes a record that is due at a time, and has a text.
///
/// # Panics
///
/// If the layout of records has changed.
#[must_use]
pub fn record(text: &str, due: Option<u64>) -> Record {
    let record = json!({ "instance": {
        "service_id": "s", "plan_id": format!("p{}", text.len() % 3), "context": {}, "parameters": {},
        "extras": { "dashboard_url": null, "labels": {}, "attributes": {} }, "bindings": 0,
        "status": { "phase": "creating", "operation": {
            "id": "o", "kind": { "create": { "undo": null } }, "attempt": 1, "lease": due.unwrap_or_default(),
            "deadline": 0, "accepted": true, "admitted": false, "progress": text,
            "end": if due.is_none() { json!({}) } else { json!(null) },
        } },
    } });
    serde_json::from_value(record).expect("it is a record")
}

/// Makes a tombstone that expires at a time, and has a text.
///
/// # Panics
///
/// If the layout of records has changed.
#[must_use]
pub fn tombstone(text: &str, forget_at: u64) -> Record {
    serde_json::from_value(json!({ "tombstone": { "o": text, "t": forget_at } })).expect("it is a record")
}

/// Returns the text of a [`record`] or a [`tombstone`].
///
/// # Panics
///
/// If the record is not JSON.
#[must_use]
pub fn text(record: Option<&Record>) -> Option<String> {
    let record = serde_json::to_value(record?).expect("records are JSON");
    let text = record.pointer("/instance/status/operation/progress").or_else(|| record.pointer("/tombstone/o"))?;
    text.as_str().map(str::to_owned)
}

/// Awaits a future, for at most a minute.
///
/// # Panics
///
/// If the future takes longer.
pub async fn finish<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), test).await.expect("it comes to an end")
}

/// Makes a key.
///
/// # Panics
///
/// If the tenant is malformed.
#[must_use]
pub fn key(tenant: &str, instance: &str) -> Key {
    Key { tenant: tenant.parse().expect("a name"), instance: instance.into(), binding: None }
}

/// Stores a [`record`], or removes it.
///
/// # Panics
///
/// If the store fails.
pub async fn put(store: &dyn Store, key: &Key, to: Option<(&str, Option<u64>)>) {
    let mut decide = |found: &mut [Option<Record>]| found[0] = to.map(|(said, due)| record(said, due));
    store.transact(std::slice::from_ref(key), &mut decide).await.expect("it is stored");
}

/// Returns the text of a [`record`].
///
/// # Panics
///
/// If the store fails, or does not call the function.
pub async fn get(store: &dyn Store, key: &Key) -> Option<String> {
    let mut seen = None;
    let look = &mut |found: Option<&Record>| seen = Some(text(found));
    store.read(key, look).await.expect("it can be read");
    seen.expect("`read` calls `look`, with `None` if there is no record")
}

async fn due(store: &dyn Store, now: u64, page: usize) -> Vec<Due> {
    let (mut all, mut is_last) = (Vec::<Due>::new(), false);
    loop {
        let found = store.due(Timestamp::from_millis(now), all.last(), page).await.expect("they can be read");
        assert!(found.len() <= page, "a page of `due` has at most `limit` records");
        assert!(found.is_empty() || !is_last, "a page of `due` is full, unless it is the last");
        is_last = found.len() < page;
        let Some(first) = found.first() else { return all };
        // Otherwise the pages would have no end.
        assert!(all.last().is_none_or(|last| last < first), "a page of `due` starts after `after`");
        all.extend(found);
    }
}

/// Lists all records, page by page.
async fn list(store: &dyn Store, page: usize) -> Vec<(Key, String)> {
    let mut all: Vec<(Key, String)> = Vec::new();
    loop {
        let last = all.last().map(|(key, _)| key.clone());
        let found = store.list(last.as_ref(), page).await.expect("they can be read");
        assert!(found.len() <= page, "a page of `list` has at most `limit` records");
        let Some((first, _)) = found.first() else { return all };
        assert!(last.is_none_or(|last| last < *first), "a page of `list` starts after `after`");
        for (key, record) in found {
            let record = record.expect("each can be read");
            all.push((key, text(Some(&record)).unwrap_or_default()));
        }
    }
}

/// A record that a test stores.
#[derive(Debug, Clone)]
enum Kept {
    Live(String, Option<u64>),
    Tombstone(String, u64),
}

impl Kept {
    fn record(&self) -> Record {
        match self {
            Self::Live(text, due) => record(text, *due),
            Self::Tombstone(text, forget_at) => tombstone(text, *forget_at),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Live(text, _) | Self::Tombstone(text, _) => text.clone(),
        }
    }
}

/// A change of a record in a transaction.
#[derive(Debug, Clone)]
enum Change {
    None,
    Remove,
    Put(Kept),
}

#[derive(Debug, Clone)]
enum Step {
    /// Changes the records of an instance and of two of its bindings in one transaction.
    Put(usize, [Change; 3]),
    Get(usize, usize),
    Due(u64, usize),
    List(usize),
    Uses,
    Forget(u64),
    Again,
}

/// Returns the keys of instances, each with two of its bindings, that a careless encoding would confuse.
fn keys() -> Vec<[Key; 3]> {
    let pairs = [
        ("", "a"),
        ("a", ""),
        ("", "\0a"),
        ("a", "\0"),
        ("", "A"),
        ("", "a "),
        ("", "\u{e9}"),
        ("", "e\u{301}"),
        ("ab", "c"),
        ("a", "bc"),
        ("", "é/../%00"),
        ("", "a\0"),
        ("", "a\u{1}"),
        ("", "a\0\u{1}b"),
    ];
    let of = |(tenant, instance): &(&str, &str)| {
        let instance = key(tenant, instance);
        let bindings = ["b", "\0\u{1}"].map(|id| instance.of_binding(id.into()));
        let [first, second] = bindings;
        [instance, first, second]
    };
    pairs.iter().map(of).collect()
}

/// Random choices (SplitMix64).
struct Random(u64);

impl Random {
    /// Returns a number below this one.
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % end
    }

    fn index(&mut self, end: usize) -> usize {
        usize::try_from(self.below(end as u64)).expect("it is below an index")
    }

    fn text(&mut self) -> String {
        let character = || {
            let end = if self.below(2) == 0 { 0x80 } else { 0x11_0000 };
            u32::try_from(self.below(end)).ok().and_then(char::from_u32).filter(|character| !character.is_control())
        };
        std::iter::repeat_with(character).take(31).map_while(|character| character).collect()
    }

    fn change(&mut self) -> Change {
        match self.below(6) {
            0 | 1 => Change::None,
            2 => Change::Remove,
            3 => Change::Put(Kept::Tombstone(self.text(), self.below(256))),
            _ => Change::Put(Kept::Live(self.text(), (self.below(2) == 0).then(|| self.below(256)))),
        }
    }

    fn step(&mut self) -> Step {
        match self.below(14) {
            0..6 => Step::Put(self.index(keys().len()), [self.change(), self.change(), self.change()]),
            6 | 7 => Step::Get(self.index(keys().len()), self.index(3)),
            8 | 9 => Step::Due(self.below(300), 1 + self.index(3)),
            10 => Step::List(1 + self.index(3)),
            11 => Step::Uses,
            12 => Step::Forget(self.below(300)),
            _ => Step::Again,
        }
    }
}

/// Calls [`Store::forget`] often enough for any store to get to all tombstones.
async fn forget(store: &dyn Store, now: u64) {
    for _ in 0..3 {
        store.forget(Timestamp::from_millis(now)).await.expect("they can be removed");
    }
}

/// Runs random steps on a store and on a map, and compares them; `again` reopens the store, which shows whether it keeps its
/// records:
///
/// ```no_run
/// # use osb_testing::store::{agrees_with_a_map, Opened};
/// # use std::{path::Path, sync::Arc};
/// # struct MyStore;
/// # impl MyStore { fn open(_: &Path) -> osb_runtime::store::Memory { osb_runtime::store::Memory::new() } }
/// # fn example(path: std::path::PathBuf) {
/// /// Opens the file, and creates it if there is none. Closures would need a type for what they return.
/// fn open(path: &Path) -> Opened {
///     Arc::new(MyStore::open(path))
/// }
///
/// let empty = || {
///     _ = std::fs::remove_file(&path);
///     open(&path)
/// };
/// agrees_with_a_map(&empty, async |store| {
///     store.close().await.expect("it is closed");
///     drop(store);
///     open(&path)
/// });
/// # }
/// ```
///
/// # Panics
///
/// If they differ, with the steps that are needed for it.
pub fn agrees_with_a_map(open: &dyn Fn() -> Opened, again: impl AsyncFn(Opened) -> Opened) {
    compare_with_a_map(open, &|store| Box::pin(again(store)));
}

/// A function that reopens a store.
type Again<'a> = &'a dyn Fn(Opened) -> Pin<Box<dyn Future<Output = Opened> + 'a>>;

fn compare_with_a_map(open: &dyn Fn() -> Opened, again: Again<'_>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let agrees =
        |steps: &[Step]| catch_unwind(AssertUnwindSafe(|| runtime.block_on(finish(run(open(), steps, again))))).is_ok();
    let mut random = Random(RandomState::new().hash_one(()));
    for _ in 0..24 {
        let length = 1 + random.below(29);
        let mut steps: Vec<Step> = (0..length).map(|_| random.step()).collect();
        if agrees(&steps) {
            continue;
        }
        for at in (0..steps.len()).rev() {
            let mut fewer = steps.clone();
            fewer.remove(at);
            if !agrees(&fewer) {
                steps = fewer;
            }
        }
        panic!("the store does not agree with a map, as printed above, after {steps:#?}");
    }
}

/// Runs steps on a store and on a map, and compares them.
async fn run(mut store: Opened, steps: &[Step], again: Again<'_>) {
    let (mut map, keys) = (BTreeMap::<Key, Kept>::new(), keys());
    for step in steps {
        match step {
            Step::Put(group, to) => {
                let mut decide = |records: &mut [Option<Record>]| {
                    for (record, to) in records.iter_mut().zip(to) {
                        match to {
                            Change::None => {}
                            Change::Remove => *record = None,
                            Change::Put(kept) => *record = Some(kept.record()),
                        }
                    }
                };
                store.transact(&keys[*group], &mut decide).await.expect("it is stored");
                for (key, to) in keys[*group].iter().zip(to) {
                    match to {
                        Change::None => {}
                        Change::Remove => drop(map.remove(key)),
                        Change::Put(kept) => drop(map.insert(key.clone(), kept.clone())),
                    }
                }
            }
            Step::Get(group, key) => {
                let key = &keys[*group][*key];
                assert_eq!(get(&*store, key).await, map.get(key).map(Kept::text), "`read`, and the text in the map");
            }
            Step::Due(now, page) => {
                let known = map.iter().filter_map(|(key, kept)| match kept {
                    Kept::Live(_, Some(due)) if due <= now => {
                        Some(Due { at: Timestamp::from_millis(*due), key: key.clone() })
                    }
                    _ => None,
                });
                let found = due(&*store, *now, *page).await;
                let known: Vec<_> = known.collect::<BTreeSet<_>>().into_iter().collect();
                assert_eq!(found, known, "`due`, and what is due in the map");
            }
            Step::List(page) => {
                let known: Vec<_> = map.iter().map(|(key, kept)| (key.clone(), kept.text())).collect();
                assert_eq!(list(&*store, *page).await, known, "`list`, and the records in the map");
            }
            Step::Uses => {
                let known = PlanUsage::sum(
                    map.values().map(Kept::record).flat_map(|record| record.plan_usage().collect::<Vec<_>>()),
                );
                let found = store.plan_usage().await.expect("they can be read");
                assert_eq!(found, known, "`plan_usage`, and the plans in the map");
            }
            Step::Forget(now) => {
                forget(&*store, *now).await;
                map.retain(|_, kept| !matches!(kept, Kept::Tombstone(_, forget_at) if *forget_at <= *now));
            }
            Step::Again => store = again(store).await,
        }
    }
}

/// Adds one to the number in the text of a record.
///
/// # Errors
///
/// If the store fails.
///
/// # Panics
///
/// If the text is not a number.
pub async fn add_one(store: &dyn Store, key: &Key) -> Result<(), StoreError> {
    let decide = &mut |found: &mut [Option<Record>]| {
        let number = text(found[0].as_ref()).map_or(0, |text| text.parse::<u32>().expect("a number"));
        found[0] = Some(record(&(number + 1).to_string(), Some(1)));
    };
    store.transact(std::slice::from_ref(key), decide).await
}

/// Adds a binding, unless it exists, and one to the number in its instance, in one transaction.
async fn bind(store: &dyn Store, instance: &Key, id: &str) -> Result<(), StoreError> {
    let decide = &mut |found: &mut [Option<Record>]| {
        if found[1].is_none() {
            let counted = text(found[0].as_ref()).map_or(0, |text| text.parse::<u32>().expect("a number"));
            found[0] = Some(record(&(counted + 1).to_string(), None));
            found[1] = Some(record("bound", None));
        }
    };
    store.transact(&[instance.clone(), instance.of_binding(id.into())], decide).await
}

/// Asserts that an instance counts its bindings.
async fn assert_counted(store: &dyn Store, instance: &Key) -> usize {
    // One page is one look at the store.
    let all = store.list(None, 1000).await.expect("they can be read");
    let (instances, bindings): (Vec<_>, Vec<_>) = all.iter().partition(|(key, _)| key == instance);
    let counted = instances.first().map_or_else(|| Some("0".to_owned()), |(_, record)| text(record.as_ref().ok()));
    assert_eq!(counted, Some(bindings.len().to_string()), "an instance counts the bindings that were stored with it");
    bindings.len()
}

/// Runs many writers, two of which create the same binding of one instance.
async fn concurrent_groups_are_isolated(store: Opened) {
    const BINDINGS: usize = 32;
    let instance = key("", "bound");
    let writers = (0..2 * BINDINGS).map(|writer| {
        let (store, instance) = (Arc::clone(&store), instance.clone());
        tokio::spawn(async move { bind(&*store, &instance, &(writer / 2).to_string()).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("it did not panic").expect("it is stored");
    }
    assert_eq!(assert_counted(&*store, &instance).await, BINDINGS);
}

/// Runs many writers that read an instance and a binding, and write one of them: its number becomes the larger one of both and one.
async fn records_that_are_only_read_are_isolated_too(store: Opened) {
    const WRITERS: usize = 8;
    const TIMES: usize = 16;
    let instance = key("", "read");
    let group = Arc::new([instance.clone(), instance.of_binding("b".into())]);
    // A store that locks records can't lock one that doesn't exist.
    for key in &*group {
        put(&*store, key, Some(("0", None))).await;
    }
    let number = |record: &Option<Record>| text(record.as_ref()).map_or(0, |text| text.parse().expect("a number"));
    let writers = (0..WRITERS).map(|writer| {
        let (store, group) = (Arc::clone(&store), Arc::clone(&group));
        tokio::spawn(async move {
            for _ in 0..TIMES {
                let decide = &mut |found: &mut [Option<Record>]| {
                    let largest: usize = found.iter().map(number).max().unwrap_or_default();
                    found[writer % 2] = Some(record(&(largest + 1).to_string(), None));
                };
                store.transact(&*group, decide).await.expect("it is stored");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("it did not panic");
    }
    let mut largest = 0;
    let look = &mut |found: &mut [Option<Record>]| largest = found.iter().map(number).max().unwrap_or_default();
    store.transact(&*group, look).await.expect("they can be read");
    assert_eq!(
        largest,
        WRITERS * TIMES,
        "a decision sees the latest version of each record, also of one that it only reads"
    );
}

/// Runs many writers, each of which increments its own record and a shared one.
async fn concurrent_writers_lose_no_update(store: Opened) {
    const WRITERS: usize = 32;
    const TIMES: usize = 8;
    let writers = (0..WRITERS).map(|writer| {
        let (store, own) = (Arc::clone(&store), key("", &format!("own {writer}")));
        tokio::spawn(async move {
            for time in 1..=TIMES {
                add_one(&*store, &own).await.expect("it is stored");
                assert_eq!(get(&*store, &own).await, Some(time.to_string()), "a writer reads its own write");
                add_one(&*store, &key("", "all")).await.expect("it is stored");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.expect("it did not panic");
    }
    let counted = get(&*store, &key("", "all")).await;
    assert_eq!(counted, Some((WRITERS * TIMES).to_string()), "concurrent writers lose no update");
    assert_eq!(due(&*store, 1, 7).await.len(), WRITERS + 1);
}

/// Lets a decision panic, as the author's code that it calls can.
async fn a_panicking_decision_changes_nothing(store: Opened) {
    let (own, other) = (key("", "own"), key("", "other"));
    put(&*store, &own, Some(("before", Some(3)))).await;
    let writer = tokio::spawn({
        let store = Arc::clone(&store);
        async move { put(&*store, &key("", "other"), Some(("written", None))).await }
    });
    let panics =
        AssertUnwindSafe(async { store.transact(std::slice::from_ref(&own), &mut |_| panic!("a mistake")).await });
    assert!(tokio_panics(panics).await, "the panic of a decision is not swallowed");
    writer.await.expect("the other record is written");
    assert_eq!(get(&*store, &own).await.as_deref(), Some("before"));
    assert_eq!(get(&*store, &other).await.as_deref(), Some("written"));
    put(&*store, &own, Some(("after", None))).await;
    assert_eq!(get(&*store, &own).await.as_deref(), Some("after"));
}

async fn tokio_panics<T>(future: impl Future<Output = T>) -> bool {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(|_| false),
        Err(_) => std::task::Poll::Ready(true),
    })
    .await
}

/// Drops requests at each point where they can wait.
async fn a_dropped_request_blocks_no_other(store: Opened) {
    let all = key("", "all");
    for patience in 0..60 {
        let mut impatient = Box::pin(add_one(&*store, &all));
        let patient = add_one(&*store, &all);
        let gives_up = async {
            for _ in 0..patience % 6 {
                tokio::select! {
                    biased;
                    _ = &mut impatient => return,
                    () = tokio::task::yield_now() => {}
                }
            }
            drop(impatient);
        };
        let (patient, ()) = tokio::join!(patient, gives_up);
        patient.expect("a dropped request blocks no other");
    }
    let counted: u32 = get(&*store, &all).await.expect("there").parse().expect("a number");
    assert!((60..=120).contains(&counted), "{counted}");
}

/// Drops requests for groups at each point where they can wait.
async fn a_dropped_request_is_stored_whole_or_not_at_all(store: Opened) {
    let instance = key("", "bound");
    for number in 0..60 {
        let id = number.to_string();
        let mut impatient = Box::pin(bind(&*store, &instance, &id));
        for _ in 0..number % 6 {
            tokio::select! {
                biased;
                stored = &mut impatient => {
                    stored.expect("it is stored");
                    break;
                }
                () = tokio::task::yield_now() => {}
            }
        }
    }
    // After all that are dropped, also in a store that continues with them.
    bind(&*store, &instance, "last").await.expect("it is stored");
    assert_counted(&*store, &instance).await;
}

/// Writes until its runtime ends.
async fn hammer(store: Opened) {
    loop {
        _ = add_one(&*store, &key("", "hammered")).await;
        tokio::task::yield_now().await;
    }
}
