//! The test suite for stores, which each implementation of [`Store`] passes.
//!
//! ```
//! use osb_runtime::store::Memory;
//! use std::sync::Arc;
//!
//! osb_testing::store::suite(|| Arc::new(Memory::new()));
//! ```

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};

use osb_runtime::store::{Due, Key, Record, Store, StoreError, Timestamp, sum};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::json;

/// A store under test.
pub type Opened = Arc<dyn Store>;

/// Tests a store; `open` opens an empty one.
///
/// # Panics
///
/// If the store breaks the contract of [`Store`].
pub fn suite(open: impl Fn() -> Opened) {
    agrees_with_a_map(&open, async |store| store);
    let in_runtime = |workers: usize, test: &dyn Fn(&tokio::runtime::Runtime)| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build();
        test(&runtime.expect("a runtime"));
    };
    in_runtime(4, &|runtime| runtime.block_on(finish(concurrent_writers_lose_no_update(open()))));
    in_runtime(1, &|runtime| runtime.block_on(finish(a_panicking_decision_changes_nothing(open()))));
    in_runtime(2, &|runtime| runtime.block_on(finish(a_dropped_request_blocks_no_other(open()))));
    let store = open();
    for _ in 0..20 {
        in_runtime(1, &|runtime| {
            // The runtime ends while this task runs.
            runtime.spawn(hammer(Arc::clone(&store)));
            runtime.block_on(finish(put(&*store, &key("", "a"), Some(("before", Some(1))))));
        });
    }
    in_runtime(1, &|runtime| runtime.block_on(finish(put(&*store, &key("", "a"), Some(("after", Some(1)))))));
}

/// Makes a record that is due at a time, and has a text.
///
/// # Panics
///
/// If the layout of records has changed.
#[must_use]
pub fn record(text: &str, due: Option<u64>) -> Record {
    let record = json!({
        "service_id": "s", "plan_id": format!("p{}", text.len() % 3), "context": {}, "parameters": {},
        "extras": { "dashboard_url": null, "labels": {}, "attributes": {} }, "bindings": {},
        "life": { "phase": "creating", "operation": {
            "id": "o", "kind": { "create": { "undo": null } }, "attempt": 1, "lease": due.unwrap_or_default(),
            "deadline": 0, "accepted": true, "admitted": false, "progress": text,
            "end": if due.is_none() { json!({}) } else { json!(null) },
        } },
    });
    serde_json::from_value(record).expect("it is a record")
}

/// Returns the text of a [`record`].
///
/// # Panics
///
/// If the record is not JSON.
#[must_use]
pub fn text(record: Option<&Record>) -> Option<String> {
    let record = serde_json::to_value(record?).expect("records are JSON");
    record.pointer("/life/operation/progress")?.as_str().map(str::to_owned)
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
    Key { tenant: tenant.parse().expect("a name"), instance: instance.into() }
}

/// Stores a [`record`], or removes it.
///
/// # Panics
///
/// If the store fails.
pub async fn put(store: &dyn Store, key: &Key, to: Option<(&str, Option<u64>)>) {
    let done = store.transact(key, &mut |found| *found = to.map(|(said, due)| record(said, due))).await;
    done.expect("it is stored");
}

/// Returns the text of a [`record`].
///
/// # Panics
///
/// If the store fails.
pub async fn get(store: &dyn Store, key: &Key) -> Option<String> {
    let mut seen = None;
    let look = &mut |found: Option<&Record>| seen = text(found);
    store.read(key, look).await.expect("it can be read");
    seen
}

async fn due(store: &dyn Store, now: u64, page: usize) -> Vec<Due> {
    let mut all: Vec<Due> = Vec::new();
    loop {
        let found = store.due(Timestamp::from_millis(now), all.last(), page).await.expect("they can be read");
        assert!(found.len() <= page);
        if found.is_empty() {
            return all;
        }
        all.extend(found);
    }
}

/// Lists all records, page by page.
async fn list(store: &dyn Store, page: usize) -> Vec<(Key, String)> {
    let mut all: Vec<(Key, String)> = Vec::new();
    loop {
        let last = all.last().map(|(key, _)| key.clone());
        let found = store.list(last.as_ref(), page).await.expect("they can be read");
        assert!(found.len() <= page);
        if found.is_empty() {
            all.sort_unstable();
            return all;
        }
        let read = |(key, record): (Key, Record)| (key, text(Some(&record)).unwrap_or_default());
        all.extend(found.into_iter().map(read));
    }
}

#[derive(Debug, Clone)]
enum Step {
    Put(usize, Option<(String, Option<u64>)>),
    Get(usize),
    Due(u64, usize),
    List(usize),
    Uses,
    Again,
}

/// Returns keys that a careless encoding would confuse.
fn keys() -> Vec<Key> {
    let pairs = [("", "a"), ("a", ""), ("", "\0a"), ("a", "\0"), ("", "A"), ("ab", "c"), ("a", "bc"), ("", "é/../%00")];
    pairs.iter().map(|(tenant, instance)| key(tenant, instance)).collect()
}

/// Runs random steps on a store and on a map, and compares them; `again` reopens the store.
///
/// # Panics
///
/// If they differ.
pub fn agrees_with_a_map(open: &dyn Fn() -> Opened, again: impl AsyncFn(Opened) -> Opened) {
    let place = 0..keys().len();
    let step = prop_oneof![
        4 => (place.clone(), any::<Option<(String, Option<u8>)>>())
            .prop_map(|(key, to)| Step::Put(key, to.map(|(said, due)| (said, due.map(u64::from))))),
        2 => place.prop_map(Step::Get),
        2 => (0..300_u64, 1..4_usize).prop_map(|(now, page)| Step::Due(now, page)),
        1 => (1..4_usize).prop_map(Step::List),
        1 => Just(Step::Uses),
        1 => Just(Step::Again),
    ];
    let mut runner = TestRunner::new(ProptestConfig::with_cases(24));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let ran = runner.run(&prop::collection::vec(step, 1..30), |steps| {
        runtime.block_on(finish(async {
            let (mut store, mut map, keys) = (open(), BTreeMap::new(), keys());
            for step in steps {
                match step {
                    Step::Put(key, to) => {
                        put(&*store, &keys[key], to.as_ref().map(|(said, due)| (said.as_str(), *due))).await;
                        match to {
                            Some(to) => map.insert(keys[key].clone(), to),
                            None => map.remove(&keys[key]),
                        };
                    }
                    Step::Get(key) => {
                        let known = map.get(&keys[key]).map(|(said, _)| said.clone());
                        prop_assert_eq!(get(&*store, &keys[key]).await, known);
                    }
                    Step::Due(now, page) => {
                        let known = map.iter().filter_map(|(key, (_, due))| {
                            due.filter(|due| *due <= now)
                                .map(|at| Due { at: Timestamp::from_millis(at), key: key.clone() })
                        });
                        let found = due(&*store, now, page).await;
                        prop_assert_eq!(&found, &known.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
                    }
                    Step::List(page) => {
                        let known: Vec<_> = map.iter().map(|(key, (said, _))| (key.clone(), said.clone())).collect();
                        prop_assert_eq!(list(&*store, page).await, known);
                    }
                    Step::Uses => {
                        let of = |(said, due): &(String, Option<u64>)| record(said, *due);
                        let known = sum(map.values().map(of).flat_map(|record| record.uses().collect::<Vec<_>>()));
                        prop_assert_eq!(store.uses().await.expect("they can be read"), known);
                    }
                    Step::Again => store = again(store).await,
                }
            }
            Ok(())
        }))
    });
    if let Err(error) = ran {
        panic!("{error}");
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
    let decide = &mut |found: &mut Option<Record>| {
        let number = text(found.as_ref()).map_or(0, |text| text.parse::<u32>().expect("a number"));
        *found = Some(record(&(number + 1).to_string(), Some(1)));
    };
    store.transact(key, decide).await
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
    assert_eq!(get(&*store, &key("", "all")).await, Some((WRITERS * TIMES).to_string()));
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
    let panics = AssertUnwindSafe(async { store.transact(&own, &mut |_| panic!("an author's mistake")).await });
    assert!(tokio_panics(panics).await, "it is not swallowed");
    writer.await.expect("the other record is written");
    assert_eq!(get(&*store, &own).await.as_deref(), Some("before"));
    assert_eq!(get(&*store, &other).await.as_deref(), Some("written"));
    put(&*store, &own, Some(("after", None))).await;
    assert_eq!(get(&*store, &own).await.as_deref(), Some("after"));
}

async fn tokio_panics<T>(future: impl Future<Output = T>) -> bool {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|context| match std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
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
        patient.expect("it is stored");
    }
    let counted: u32 = get(&*store, &all).await.expect("there").parse().expect("a number");
    assert!((60..=120).contains(&counted), "{counted}");
}

/// Writes until its runtime ends.
async fn hammer(store: Opened) {
    loop {
        _ = add_one(&*store, &key("", "hammered")).await;
        tokio::task::yield_now().await;
    }
}
