//! Compares the stores with a model, and tests their durability.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
    time::{Duration, SystemTime},
};

use kv_broker::stores::{NewEntry, PutError, Stores, Terms, TermsError, TokenId};
use proptest::prelude::*;

use crate::world::owner;

const QUOTA: u64 = 60;

fn terms(quota: u64) -> Terms {
    Terms { plan: "free".to_owned(), quota, ttl: 100 }
}

fn entry(key: &str, bytes: usize, ttl: Option<u32>) -> NewEntry {
    NewEntry { ttl, ..NewEntry::text(key.to_owned(), "v".repeat(bytes)) }
}

/// An action on the stores `a` and `b`.
#[derive(Debug, Clone)]
enum Step {
    Put(&'static str, Vec<(String, usize, Option<u32>)>),
    Delete(&'static str, String),
    Change(&'static str, u64),
    Remove(&'static str),
    Create(&'static str),
    Pass(u64),
    Sweep,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let store = || prop::sample::select(vec!["a", "b"]);
    let key = || "[kl]{1,2}";
    let entry = (key(), 0..30_usize, prop::option::of(1..=100_u32));
    let step = prop_oneof![
        8 => (store(), prop::collection::vec(entry, 1..4)).prop_map(|(store, entries)| Step::Put(store, entries)),
        3 => (store(), key()).prop_map(|(store, key)| Step::Delete(store, key)),
        2 => (store(), 0..=QUOTA).prop_map(|(store, quota)| Step::Change(store, quota)),
        1 => store().prop_map(Step::Remove),
        2 => store().prop_map(Step::Create),
        3 => (1..60_u64).prop_map(Step::Pass),
        1 => Just(Step::Sweep),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..30)
}

/// A store in the model: its quota, and its entries with their sizes and expiries.
#[derive(Debug, Clone)]
struct Modelled {
    quota: u64,
    entries: BTreeMap<String, (usize, u64)>,
}

impl Modelled {
    fn bytes(&self) -> u64 {
        self.entries.iter().map(|(key, (bytes, _))| (key.len() + bytes) as u64).sum()
    }
}

fn expire(model: &mut BTreeMap<&str, Modelled>, now: u64) {
    for store in model.values_mut() {
        store.entries.retain(|_, (_, expires)| *expires > now);
    }
}

async fn agree(steps: Vec<Step>) {
    let directory = tempfile::tempdir().expect("a directory");
    let (seconds, start) = (Arc::new(AtomicU64::new(0)), SystemTime::now());
    let open = || {
        let seconds = Arc::clone(&seconds);
        let clock = Arc::new(move || start + Duration::from_secs(seconds.load(Ordering::SeqCst)));
        Stores::with_clock(directory.path().join("kv.redb"), clock).expect("it can be opened")
    };
    let mut stores = open();
    let mut model: BTreeMap<&str, Modelled> = BTreeMap::new();
    for step in steps {
        let now = seconds.load(Ordering::SeqCst);
        expire(&mut model, now);
        match step {
            Step::Put(id, entries) => {
                let new = entries.iter().map(|(key, bytes, ttl)| entry(key, *bytes, *ttl)).collect();
                let done = stores.put(id, new).await;
                let mut fits = model.get(id).cloned();
                for (key, bytes, ttl) in entries {
                    fits = fits.and_then(|mut store| {
                        store.entries.insert(key, (bytes, now + u64::from(ttl.unwrap_or(100))));
                        (store.bytes() <= store.quota).then_some(store)
                    });
                }
                match fits {
                    Some(store) => {
                        done.expect("there is room");
                        model.insert(id, store);
                    }
                    None if model.contains_key(id) => assert!(matches!(done, Err(PutError::Full { .. })), "{done:?}"),
                    None => assert!(matches!(done, Err(PutError::NoStore)), "{done:?}"),
                }
            }
            Step::Delete(id, key) => {
                stores.delete(id, &key).await.expect("it can be written");
                model.entry(id).and_modify(|store| _ = store.entries.remove(&key));
            }
            Step::Change(id, quota) => {
                let done = stores.change(id, terms(quota)).await;
                match model.get_mut(id) {
                    Some(store) if store.bytes() <= quota => {
                        done.expect("it fits");
                        store.quota = quota;
                    }
                    Some(_) => assert!(matches!(done, Err(TermsError::TooSmall { .. })), "{done:?}"),
                    None => assert!(matches!(done, Err(TermsError::NoStore)), "{done:?}"),
                }
            }
            Step::Remove(id) => {
                stores.remove(id).await.expect("it can be written");
                model.remove(id);
            }
            Step::Create(id) => {
                stores.create(id, owner(id), "", terms(QUOTA)).await.expect("it can be written");
                model.entry(id).or_insert(Modelled { quota: QUOTA, entries: BTreeMap::new() });
            }
            Step::Pass(more) => _ = seconds.fetch_add(more, Ordering::SeqCst),
            Step::Sweep => assert!(stores.sweep().await.expect("it can be written")),
            Step::Reopen => {
                drop(stores);
                stores = open();
            }
        }
        let now = seconds.load(Ordering::SeqCst);
        expire(&mut model, now);
        for id in ["a", "b"] {
            let listed = stores.list(id, "", "", 1_000).await.expect("the store is read").keys;
            let listed: BTreeMap<_, _> = listed.into_iter().map(|key| (key.key, (key.bytes, key.expires_in))).collect();
            let expected = model.get(id).map(|store| {
                let entries = store.entries.iter();
                entries.map(|(key, (bytes, expires))| (key.clone(), (*bytes as u64, expires - now))).collect()
            });
            assert_eq!(listed, expected.unwrap_or_default());
        }
        // Counts everything, and fails if the statistics differ.
        let all = stores.inventory().expect("the inventory is read");
        assert!(all.stores.keys().eq(model.keys()) && all.orphans == 0, "{all:?}");
    }
    seconds.fetch_add(1_000, Ordering::SeqCst);
    assert!(stores.sweep().await.expect("it can be written"));
    assert_eq!(stores.inventory().expect("the inventory is read").len(), model.len(), "all that has expired is swept");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn stores_are_what_the_model_says(steps in steps()) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(agree(steps));
    }
}

#[cfg(unix)]
#[test]
fn other_users_cannot_read_a_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("kv.redb");
    let _stores = Stores::open(&file).expect("a file");
    let mode = std::fs::metadata(&file).expect("it exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn writes_are_durable() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("kv.redb");
    let stores = Stores::open(&path).expect("it can be opened");
    assert!(matches!(Stores::open(&path), Err(redb::Error::DatabaseAlreadyOpen)));
    stores.create("s", owner("instance"), "k", terms(1_000)).await.expect("it can be written");
    stores.put("s", vec![entry("k", 5, None)]).await.expect("there is room");
    let id = TokenId { store: "s".to_owned(), token: "t".to_owned() };
    let first = stores.grant(&id, "binding", false).await.expect("it can be written").expect("there is a store");
    let second = stores.grant(&id, "binding", true).await.expect("it can be written").expect("there is a store");
    let (all, page) = (stores.inventory().expect("the inventory is read"), stores.page(&owner("instance")));
    drop(stores);

    let stores = Stores::open(&path).expect("it can be opened");
    assert_eq!(stores.inventory().expect("the inventory is read"), all);
    assert_eq!(stores.page(&owner("instance")), page);
    assert_eq!(
        stores.on_page(&page).await.expect("the store is read").map(|store| store.owner.instance),
        Some("instance".into())
    );
    assert_eq!(stores.get("s", "k").await.expect("the store is read").expect("an entry").value, "vvvvv");
    assert_eq!(stores.admit("s", &first).await.expect("the store is read"), None, "another token has replaced it");
    assert_eq!(stores.admit("s", &second).await.expect("the store is read"), Some(true));
    let held = std::fs::read(&path).expect("the file");
    assert!(!held.windows(second.len()).any(|window| window == second.as_bytes()), "the token is not in the file");
    let nowhere = TokenId { store: "none".to_owned(), ..id.clone() };
    assert_eq!(stores.grant(&nowhere, "binding", false).await.expect("the store is read"), None);
    for _ in 0..2 {
        stores.revoke(&id).await.expect("it can be written");
        stores.remove("s").await.expect("it can be written");
    }
    assert!(stores.inventory().expect("the inventory is read").is_empty());
}

#[test]
fn an_earlier_create_does_not_undo_a_removal() {
    let directory = tempfile::tempdir().expect("a directory");
    let stores = Stores::open(directory.path().join("kv.redb")).expect("it can be opened");
    for _ in 0..200 {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            // Creates whose handlers are dropped at random points.
            for _ in 0..32 {
                let mut create = Box::pin(stores.create("s", owner("instance"), "", terms(1_000)));
                let began = std::future::poll_fn(|context| Poll::Ready(create.as_mut().poll(context))).await;
                assert!(began.is_pending());
            }
            stores.remove("s").await.expect("it can be written");
        });
        // Waits for transactions that still run.
        drop(runtime);
        assert!(stores.inventory().expect("the inventory is read").is_empty());
    }
}

#[tokio::test]
async fn an_interrupted_removal_is_completed_or_its_entries_expire() {
    let directory = tempfile::tempdir().expect("a directory");
    let (seconds, start) = (Arc::new(AtomicU64::new(0)), SystemTime::now());
    let passed = Arc::clone(&seconds);
    let clock = Arc::new(move || start + Duration::from_secs(passed.load(Ordering::SeqCst)));
    let stores = Stores::with_clock(directory.path().join("kv.redb"), clock).expect("it can be opened");
    for next in [true, false] {
        stores.create("s", owner("instance"), "", terms(1_000_000)).await.expect("it can be written");
        let many = (0..2_500).map(|n| entry(&n.to_string(), 1, None)).collect();
        stores.put("s", many).await.expect("there is room");
        let mut removal = Box::pin(stores.remove("s"));
        let began = std::future::poll_fn(|context| Poll::Ready(removal.as_mut().poll(context))).await;
        assert!(began.is_pending());
        // A transaction that has started is completed, and nothing follows it.
        while !stores.inventory().expect("the inventory is read").stores.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(removal);
        assert_eq!(stores.inventory().expect("the inventory is read").orphans, 1_500);
        if next {
            stores.remove("s").await.expect("it can be written");
        } else {
            seconds.fetch_add(101, Ordering::SeqCst);
            while !stores.sweep().await.expect("it can be written") {}
        }
        assert!(stores.inventory().expect("the inventory is read").is_empty());
    }
}
