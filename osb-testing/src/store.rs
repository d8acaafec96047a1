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

mod concurrency;
mod edges;
mod map;
mod shared;
#[cfg(test)]
mod tests;

use std::{pin::Pin, sync::Arc, time::Duration};

use osb_runtime::store::{Due, Key, Record, Store, StoreError, Timestamp};
use serde_json::json;

pub use map::agrees_with_a_map;
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
    in_runtime(4, concurrency::concurrent_writers_lose_no_update(open()));
    in_runtime(4, concurrency::concurrent_groups_are_isolated(open()));
    in_runtime(4, concurrency::records_that_are_only_read_are_isolated_too(open()));
    in_runtime(1, concurrency::a_panicking_decision_changes_nothing(open()));
    in_runtime(2, concurrency::a_dropped_request_blocks_no_other(open()));
    in_runtime(2, concurrency::a_dropped_request_is_stored_whole_or_not_at_all(open()));
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
            tokio::spawn(concurrency::hammer(Arc::clone(&store)));
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

/// Calls [`Store::forget`] often enough for any store to get to all tombstones.
async fn forget(store: &dyn Store, now: u64) {
    for _ in 0..3 {
        store.forget(Timestamp::from_millis(now)).await.expect("they can be removed");
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
