//! Which decisions a commit writes, and which tombstones are removed.

use super::*;
use crate::inserted::InsertError;

#[tokio::test]
async fn a_decision_that_changes_nothing_is_not_written() {
    let disk = Disk::default();
    let store = on(&disk).expect("it opens");
    put(&store, &key("", "a"), Some(("same", None))).await;
    let before = disk.syncs();
    for to in [Some(("same", None)), None] {
        // Of an instance that exists, and of one that doesn't.
        let key = key("", if to.is_some() { "a" } else { "b" });
        finish(put(&store, &key, to)).await;
    }
    assert!(store.file.writer.lock().await.is_none(), "there is nothing to commit");
    assert_eq!(disk.syncs(), before);
}

#[tokio::test]
async fn a_decision_is_durable_when_the_store_is_closed() {
    let (_folder, path) = Folder::with_path();
    let (store, key) = (open(&path), key("", "a"));
    let open_again = async {
        store.close().await.expect("it closes");
        get(&open(&path), &key).await
    };
    let ((), kept) = tokio::join!(biased; put(&store, &key, Some(("new", None))), open_again);
    assert_eq!(kept.as_deref(), Some("new"));
}

#[tokio::test]
async fn a_decision_reseals_a_record_with_the_newest_key_only() {
    let (_folder, path) = Folder::with_path();
    let same = async |keys: &[&str]| {
        let store = sealed(&path, keys).expect("it opens");
        let stored = async || {
            let transaction = store.file.begin_read().await.expect("it can be read");
            tables::committed(&transaction, &key("", "a").to_bytes()).expect("it can be read")
        };
        let before = stored().await;
        put(&store, &key("", "a"), Some(("same", None))).await;
        let changed = stored().await != before;
        store.close().await.expect("it closes");
        changed
    };
    assert!(same(&[KEYS[0]]).await, "it is new");
    assert!(!same(&[KEYS[0]]).await, "it is the same record, sealed with the same key");
    assert!(same(&[KEYS[1], KEYS[0]]).await, "it is sealed with an older key");
    assert!(!same(&[KEYS[1], KEYS[0]]).await, "it was resealed");
    sealed(&path, &[KEYS[1]]).expect("the old key is not needed any more");
}

#[tokio::test]
async fn records_are_inserted_all_or_none() {
    let store = on(&Disk::default()).expect("it opens");
    put(&store, &key("", "there"), Some(("old", None))).await;
    let new = |names: &[&str]| names.iter().map(|name| (key("", name), suite::record(name, None))).collect();
    let refused = store.insert_all(new(&["a", "there", "b"])).await.expect_err("one exists");
    assert!(matches!(&refused, InsertError::Exists(there) if *there == key("", "there")), "{refused:?}");
    assert_eq!(refused.to_string(), "there is already a record of instance there");
    let binding = Key { binding: Some("b".into()), ..key("", "there") };
    let refused = InsertError::Exists(binding);
    assert_eq!(refused.to_string(), "there is already a record of binding b of instance there");
    assert_eq!(get(&store, &key("", "a")).await, None);
    store.insert_all(new(&["a", "b"])).await.expect("they are inserted");
    assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("a"));
    assert_eq!(get(&store, &key("", "b")).await.as_deref(), Some("b"));
    assert_eq!(get(&store, &key("", "there")).await.as_deref(), Some("old"));
}

/// One call looks at a part of the tombstones, and the next call continues after it.
#[tokio::test]
async fn expired_tombstones_are_found_behind_others() {
    const COUNT: usize = 10_000;
    let store = on(&Disk::default()).expect("it opens");
    let keys: Vec<_> = (0..COUNT).map(|number| key("", &format!("{number:05}"))).collect();
    let mut bury = |found: &mut [Option<Record>]| {
        for (number, record) in found.iter_mut().enumerate() {
            *record = Some(suite::tombstone("t", if number < COUNT / 2 { 2 } else { 1 }));
        }
    };
    store.transact(&keys, &mut bury).await.expect("they are stored");
    let mut counts = Vec::new();
    for _ in 0..4 {
        store.forget(Timestamp::from_millis(1)).await.expect("they are removed");
        counts.push(store.list(None, COUNT).await.expect("they can be read").len());
    }
    assert_eq!(counts, [COUNT, COUNT - (2 * 4096 - COUNT / 2), COUNT / 2, COUNT / 2]);
}

#[tokio::test]
async fn an_unreadable_tombstone_keeps_no_others() {
    let store = on(&Disk::default()).expect("it opens");
    let keys = ["a", "b", "c"].map(|id| key("", id));
    let mut bury = |found: &mut [Option<Record>]| found.fill(Some(suite::tombstone("t", 1)));
    store.transact(&keys, &mut bury).await.expect("they are stored");
    let transaction = store.file.begin_write().await.expect("it can be written");
    let facts = tables::Facts::of(Some(&suite::tombstone("t", 1)));
    overwrite(transaction, &keys[1], b"damaged", &facts);
    for _ in 0..2 {
        store.forget(Timestamp::from_millis(1)).await.expect_err("one can't be read");
    }
    let left = store.list(None, 3).await.expect("it is listed");
    assert!(matches!(&left[..], [(key, Err(_))] if *key == keys[1]), "it is the only one that is left");
    store.read(&keys[0], &mut |found| assert!(found.is_none())).await.expect("it was removed");
}

/// The decisions of tasks that start together share a commit.
#[tokio::test]
async fn a_decision_that_panics_loses_no_other_of_its_commit() {
    let disk = Disk::default();
    let store = Arc::new(on(&disk).expect("it opens"));
    put(&*store, &key("", "a"), Some(("5", None))).await;
    let before = disk.syncs();
    let add = |store: Arc<Redb>| async move { add_one(&*store, &key("", "a")).await };
    let (first, last) = (tokio::spawn(add(Arc::clone(&store))), Arc::clone(&store));
    let panics = tokio::spawn({
        let store = Arc::clone(&store);
        async move {
            let mut decide = |found: &mut [Option<Record>]| {
                found[0] = Some(suite::record("100", None));
                panic!("a mistake")
            };
            store.transact(&[key("", "a")], &mut decide).await
        }
    });
    let last = tokio::spawn(add(last));
    finish(panics).await.expect_err("it is not swallowed");
    for task in [first, last] {
        finish(task).await.expect("it did not panic").expect("it is stored");
    }
    assert_eq!(get(&*store, &key("", "a")).await.as_deref(), Some("7"));
    let once = disk.syncs() - before;
    put(&*store, &key("", "a"), Some(("8", None))).await;
    assert_eq!(disk.syncs() - before, 2 * once, "they shared a commit");
}

#[tokio::test]
async fn the_indexes_follow_a_record_that_changes_several_times_in_a_commit() {
    let disk = Disk::default();
    let store = Arc::new(on(&disk).expect("it opens"));
    let due_at = async |at: [Option<u64>; 3]| {
        let changes = at.map(|at| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { put(&*store, &key("", "a"), Some(("due", at))).await })
        });
        for change in changes {
            finish(change).await.expect("it did not panic");
        }
        let due = store.due(Timestamp::from_millis(100), None, 10).await.expect("it can be read");
        due.into_iter().map(|due| due.at.as_millis()).collect::<Vec<_>>()
    };
    assert_eq!(due_at([Some(1), Some(2), Some(3)]).await, [3]);
    assert_eq!(due_at([Some(4), None, Some(5)]).await, [5]);
    assert!(due_at([Some(6), Some(7), None]).await.is_empty());
}

#[tokio::test]
async fn an_id_that_is_used_again_while_tombstones_are_removed_is_kept() {
    let folder = Folder::new();
    let (store, key) = (open(&folder.next()), key("", "a"));
    bury(&store, &key, "old").await;
    // The second one sees the tombstone, and decides after the first.
    let ((), forgotten) =
        tokio::join!(biased; put(&store, &key, Some(("new", None))), store.forget(Timestamp::from_millis(5)));
    forgotten.expect("it is stored");
    assert_eq!(get(&store, &key).await.as_deref(), Some("new"));
}

#[tokio::test]
async fn a_tombstone_that_follows_while_an_expired_one_is_removed_is_kept() {
    let folder = Folder::new();
    let (store, key) = (open(&folder.next()), key("", "a"));
    bury(&store, &key, "old").await;
    let mut bury_again = |found: &mut [Option<Record>]| found[0] = Some(suite::tombstone("new", 9));
    let buried = store.transact(std::slice::from_ref(&key), &mut bury_again);
    let (buried, forgotten) = tokio::join!(biased; buried, store.forget(Timestamp::from_millis(5)));
    buried.and(forgotten).expect("it is stored");
    assert_eq!(get(&store, &key).await.as_deref(), Some("new"));
}
