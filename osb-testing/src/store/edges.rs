//! Tests of rare keys, times, sizes and pages, which random steps seldom meet.

use std::time::{Duration, SystemTime};

use osb_runtime::store::{Due, Key, PlanUsage, Record, Store, Timestamp};
use serde_json::{Value, json};

use super::{Opened, due, get, key, keys, list, put, record, text, tombstone};

/// Length of the longest id that the broker accepts, in bytes.
const LONGEST_ID: usize = 1024;

/// Length of a text that makes a record large: parameters, credentials and states are in records.
const LARGE: usize = 1 << 20;

/// Stores a record.
async fn store_record(store: &dyn Store, key: &Key, record: &Record) {
    let decide = &mut |found: &mut [Option<Record>]| found[0] = Some(record.clone());
    store.transact(std::slice::from_ref(key), decide).await.expect("it is stored");
}

/// Stores a record under each key that a careless encoding would confuse with another one.
pub(super) async fn keys_are_distinct(store: Opened) {
    let long = |last: char| "x".repeat(LONGEST_ID - 1) + &last.to_string();
    let [first, second] = ['1', '2'].map(|last| key("", &long(last)));
    // The key of a binding is the longest, with zero bytes that have to be escaped.
    let zeros = key("", &"\0".repeat(LONGEST_ID)).of_binding(long('1').as_str().into());
    let mut all: Vec<Key> = keys().into_iter().flatten().collect();
    all.extend(['1', '2'].map(|last| first.of_binding(long(last).as_str().into())));
    all.extend([first, second, zeros]);
    for (number, key) in all.iter().enumerate() {
        put(&*store, key, Some((&number.to_string(), Some(1)))).await;
    }
    for (number, key) in all.iter().enumerate() {
        let begin: String = key.instance.as_str().chars().take(8).collect();
        let length = key.instance.as_str().len();
        let found = get(&*store, key).await;
        assert_eq!(
            found,
            Some(number.to_string()),
            "key {number}, of {begin:?} with {length} bytes, has a record of its own"
        );
    }
    all.sort_unstable();
    for page in [1, 2, 1000] {
        let listed: Vec<Key> = list(&*store, page).await.into_iter().map(|(key, _)| key).collect();
        assert!(listed == all, "`list` returns all keys in their order, in pages of {page}");
        let listed: Vec<Key> = due(&*store, 1, page).await.into_iter().map(|due| due.key).collect();
        assert!(listed == all, "`due` returns keys of the same time in their order, in pages of {page}");
    }
}

/// Starts pages after records that have been removed, or are due at another time, since the page before.
pub(super) async fn pages_start_after_a_record_that_has_changed(store: Opened) {
    let all = ["a", "b", "c", "d"].map(|id| key("", id));
    for (key, at) in all.iter().zip(1..) {
        put(&*store, key, Some(("before", Some(at)))).await;
    }
    put(&*store, &all[1], None).await;
    let found = store.list(Some(&all[1]), 9).await.expect("they can be read");
    let found: Vec<Key> = found.into_iter().map(|(key, _)| key).collect();
    assert_eq!(found, all[2..], "`list` starts after a key although its record has been removed");

    let now = Timestamp::from_millis(9);
    let after = |index: usize, at| Due { at: Timestamp::from_millis(at), key: all[index].clone() };
    let rest = [after(2, 3), after(3, 4)];
    let found = store.due(now, Some(&after(1, 2)), 9).await.expect("they can be read");
    assert_eq!(found, rest, "`due` starts after a time and a key although that record has been removed");
    put(&*store, &all[0], Some(("renewed", Some(4)))).await;
    let found = store.due(now, Some(&after(0, 1)), 9).await.expect("they can be read");
    let expected = [after(2, 3), after(0, 4), after(3, 4)];
    assert_eq!(found, expected, "`due` starts after the time that it is given, not after that of the record now");
}

/// Stores records with the latest time, that of operations without a limit.
pub(super) async fn times_have_64_bits(store: Opened) {
    let [never, late, soon] = ["a", "b", "c"].map(|id| key("", id));
    put(&*store, &never, Some(("never", Some(u64::MAX)))).await;
    put(&*store, &late, Some(("late", Some(1 << 53)))).await;
    put(&*store, &soon, Some(("soon", Some((1 << 53) - 1)))).await;
    store_record(&*store, &key("", "d"), &tombstone("kept", u64::MAX)).await;
    let at = async |now| due(&*store, now, 9).await.into_iter().map(|due| due.key).collect::<Vec<_>>();
    assert_eq!(at(1 << 52).await, [], "a record that is due at `Timestamp::MAX` is not due earlier");
    assert_eq!(at((1 << 53) - 1).await, std::slice::from_ref(&soon), "a time is exact to the millisecond");
    assert_eq!(at(u64::MAX).await, [soon, late, never], "a record that is due at `Timestamp::MAX` is the last one");
    super::forget(&*store, 1 << 53).await;
    let kept = get(&*store, &key("", "d")).await;
    assert_eq!(kept.as_deref(), Some("kept"), "a tombstone that expires at `Timestamp::MAX` is kept");
}

/// Stores bindings whose credentials expire, which are due although no operation is running.
pub(super) async fn bindings_that_expire_are_due(store: Opened) {
    let binding = |has_expired: bool| {
        edited("s", "p", |record| {
            as_binding(record);
            let binding = &mut record["binding"];
            binding["status"]["phase"] = json!("ready");
            binding["output"] = json!({ "metadata": { "expires_at": "1970-01-01T00:00:05Z" } });
            binding["has_expired"] = json!(has_expired);
        })
    };
    let key = key("", "a").of_binding("b".into());
    store_record(&*store, &key, &binding(false)).await;
    assert_eq!(due(&*store, 4999, 9).await, [], "a binding is not due before it expires");
    let expected = [Due { at: Timestamp::from_millis(5000), key: key.clone() }];
    assert_eq!(due(&*store, 5000, 9).await, expected, "a binding that expires has no lease, but `Record::due`");
    store_record(&*store, &key, &binding(true)).await;
    assert_eq!(due(&*store, 5000, 9).await, [], "a binding that has expired is no longer due");
}

/// Forgets a tombstone in the millisecond in which it expires, and no other record.
pub(super) async fn only_expired_tombstones_are_forgotten(store: Opened) {
    let [expired, later, replaced] = ["a", "b", "c"].map(|id| key("", id));
    store_record(&*store, &expired, &tombstone("expired", 5)).await;
    store_record(&*store, &later, &tombstone("later", 6)).await;
    store_record(&*store, &replaced, &tombstone("before", 5)).await;
    put(&*store, &replaced, Some(("live", Some(1)))).await;
    super::forget(&*store, 5).await;
    assert_eq!(get(&*store, &expired).await, None, "a tombstone is forgotten when `forget_at` is `now`");
    assert_eq!(get(&*store, &later).await.as_deref(), Some("later"), "a tombstone is kept until `forget_at`");
    let live = get(&*store, &replaced).await;
    assert_eq!(live.as_deref(), Some("live"), "a record that has replaced a tombstone is not forgotten");
}

/// Stores records as large as a user's parameters and an author's state make them.
pub(super) async fn large_records_are_kept(store: Opened) {
    let keys = ["a", "b"].map(|id| key("", id));
    // A letter of two bytes, in case that lengths are counted in characters.
    let texts = ["é".repeat(LARGE / 2), "x".repeat(LARGE)];
    let mut decide = |found: &mut [Option<Record>]| {
        for (found, text) in found.iter_mut().zip(&texts) {
            *found = Some(record(text, Some(1)));
        }
    };
    let group = [keys[0].clone(), keys[0].of_binding("b".into())];
    store.transact(&group, &mut decide).await.expect("two records of 1 MiB are stored in one transaction");
    for (key, text) in group.iter().zip(&texts) {
        assert!(get(&*store, key).await.as_ref() == Some(text), "a record of 1 MiB is read as it was written");
    }
    put(&*store, &keys[1], Some(("small", None))).await;
    let found = store.list(None, 9).await.expect("they can be read");
    assert_eq!(found.len(), 3);
    let large =
        found.iter().zip(&texts).all(|((_, record), written)| text(record.as_ref().ok()).as_ref() == Some(written));
    assert!(large, "a record of 1 MiB is listed as it was written");
}

/// A record of an instance whose plan is being changed.
fn changing(service: &str, from: &str, to: &str) -> Record {
    edited(service, from, |record| {
        let status = &mut record["instance"]["status"];
        status["phase"] = json!("updating");
        status["operation"]["kind"] =
            json!({ "update": { "wish": {}, "plan_id": to, "after": {}, "maintenance": false } });
    })
}

/// A record of a binding.
fn binding(service: &str, plan: &str) -> Record {
    edited(service, plan, as_binding)
}

/// Makes a binding of an instance, with its plan and status.
fn as_binding(record: &mut Value) {
    let instance = record["instance"].take();
    let resource =
        json!({ "app_guid": null, "route": null, "space_guid": null, "credential_client_id": null, "fields": {} });
    *record = json!({ "binding": {
        "service_id": instance["service_id"], "plan_id": instance["plan_id"], "parameters": {}, "resource": resource,
        "output": {}, "status": instance["status"],
    } });
}

fn edited(service: &str, plan: &str, edit: impl FnOnce(&mut Value)) -> Record {
    let mut value = serde_json::to_value(record("", None)).expect("records are JSON");
    value["instance"]["service_id"] = json!(service);
    value["instance"]["plan_id"] = json!(plan);
    edit(&mut value);
    serde_json::from_value(value).expect("it is a record")
}

/// Counts the plans of instances and of bindings, of several services, and of a change of plan.
pub(super) async fn all_plans_in_use_are_counted(store: Opened) {
    let instance = key("", "a");
    let plain = |service: &str, plan: &str| edited(service, plan, |_| {});
    store_record(&*store, &instance, &changing("s1", "p2", "p1")).await;
    store_record(&*store, &instance.of_binding("a".into()), &binding("s1", "p2")).await;
    store_record(&*store, &instance.of_binding("b".into()), &binding("s1", "p2")).await;
    store_record(&*store, &key("", "b"), &plain("s2", "p0")).await;
    store_record(&*store, &key("t", "b"), &plain("s2", "p0")).await;
    store_record(&*store, &key("", "c"), &plain("s1", "p3")).await;
    store_record(&*store, &key("", "d"), &tombstone("", 9)).await;
    let uses = |service: &str, plan: &str, instances, bindings| PlanUsage {
        service_id: service.to_owned(),
        plan_id: plan.to_owned(),
        instances,
        bindings,
    };
    let expected = [uses("s1", "p1", 1, 0), uses("s1", "p2", 1, 2), uses("s1", "p3", 1, 0), uses("s2", "p0", 2, 0)];
    let found = store.plan_usage().await.expect("they can be read");
    assert_eq!(found, expected, "each plan of `Record::plan_usage` once, in the order of `PlanUsage::sum`");

    store_record(&*store, &instance, &plain("s1", "p1")).await;
    put(&*store, &key("", "c"), None).await;
    let expected = [uses("s1", "p1", 1, 0), uses("s1", "p2", 0, 2), uses("s2", "p0", 2, 0)];
    let found = store.plan_usage().await.expect("they can be read");
    assert_eq!(found, expected, "a plan that a record no longer uses is not counted");
}

/// Asks for the recovery twice, and for the time.
pub(super) fn claims_and_times_are_plausible(store: &dyn Store) {
    _ = store.take_recovery();
    assert!(!store.take_recovery(), "only the first call of `take_recovery` returns true");
    if let Some(now) = store.now() {
        let now = SystemTime::from(now);
        let system = SystemTime::now();
        let apart = now.duration_since(system).or_else(|_| system.duration_since(now)).expect("one of them is later");
        assert!(
            apart < Duration::from_hours(24),
            "`now` is in milliseconds since 1970; it is {apart:?} from the system's clock"
        );
    }
}
