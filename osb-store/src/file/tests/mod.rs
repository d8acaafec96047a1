//! Tests of a store in a file, in addition to the suite for stores.

mod commits;
mod disk;
mod failures;
mod opening;
mod sealing;
mod writing;

use std::{path::PathBuf, sync::atomic::AtomicU32};

use tokio::task::yield_now;

use self::disk::Disk;
use super::*;
use osb_testing::store::{self as suite, add_one, finish, get, key, put};

/// A folder for records files.
struct Folder(tempfile::TempDir, AtomicU32);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"), AtomicU32::new(0))
    }

    /// Returns a folder and the path of a new file in it.
    fn with_path() -> (Self, PathBuf) {
        let folder = Self::new();
        let path = folder.next();
        (folder, path)
    }

    /// Returns the path of a new file.
    fn next(&self) -> PathBuf {
        self.0.path().join(format!("{}.redb", self.1.fetch_add(1, Ordering::Relaxed)))
    }
}

fn open(path: &Path) -> Redb {
    Redb::open(path, None).expect("it opens")
}

/// Replaces a record by a tombstone that expires at 1 ms.
async fn bury(store: &Redb, key: &Key, said: &str) {
    let mut decide = |found: &mut [Option<Record>]| found[0] = Some(suite::tombstone(said, 1));
    store.transact(std::slice::from_ref(key), &mut decide).await.expect("it is stored");
}

/// Writes bytes in place of a record, as a forger or a failing disk can.
fn overwrite(transaction: WriteTransaction, key: &Key, bytes: &[u8], facts: &tables::Facts) {
    tables::put(&transaction, &key.to_bytes(), Some(bytes), facts, facts).expect("it is written");
    transaction.commit().expect("it is written");
}

/// Opens a store on a simulated disk.
fn on(disk: &Disk) -> Result<Redb, OpenError> {
    on_observed(disk, || ())
}

/// Opens a store on a simulated disk, and calls a function each time before the disk is opened.
fn on_observed(disk: &Disk, opens: impl Fn() + Send + Sync + 'static) -> Result<Redb, OpenError> {
    let disk = disk.clone();
    let source = move |creation| {
        opens();
        open::database(disk.clone(), creation, &Codec::default())
            .map_err(|failure| OpenError::new(Path::new("disk"), failure))
    };
    Redb::from_source(source, Codec::default(), None)
}

#[test]
fn a_file_passes_the_suite_for_stores() {
    let folder = Folder::new();
    suite::suite(|| Arc::new(open(&folder.next())));
}

#[test]
fn a_reopened_file_has_all_records() {
    let (folder, last) = (Folder::new(), std::sync::Mutex::default());
    let make = || -> suite::Opened {
        let path = folder.next();
        *last.lock().expect("not poisoned") = path.clone();
        Arc::new(open(&path))
    };
    suite::agrees_with_a_map(&make, async |store: suite::Opened| {
        store.close().await.expect("it closes");
        let path = last.lock().expect("not poisoned").clone();
        let again: suite::Opened = Arc::new(open(&path));
        again
    });
}

#[tokio::test]
async fn a_closed_store_refuses_requests_and_releases_the_file() {
    let (_folder, path) = Folder::with_path();
    let first = open(&path);
    put(&first, &key("", "a"), Some(("kept", None))).await;
    let error = Redb::open(&path, None).err().expect("it is held");
    assert!(
        error.to_string().ends_with("is in use by another process; stop that process or use another file"),
        "{error}"
    );
    first.close().await.expect("it closes");
    let second = open(&path);
    assert_eq!(get(&second, &key("", "a")).await.as_deref(), Some("kept"));
    let error = add_one(&first, &key("", "a")).await.expect_err("it is closed");
    assert_eq!(error.to_string(), "the store failed: the file is closed");
}

#[test]
fn only_the_first_caller_takes_over_without_waiting_for_leases() {
    let folder = Folder::new();
    let store = open(&folder.next());
    assert!(store.take_recovery());
    assert!(!store.take_recovery(), "others in the same process may be at work");
}

#[tokio::test]
async fn many_reads_do_not_starve_other_tasks() {
    let store = Arc::new(on(&Disk::default()).expect("it opens"));
    let reader = tokio::spawn({
        let store = Arc::clone(&store);
        async move {
            for _ in 0..10_000 {
                get(&*store, &key("", "a")).await;
            }
        }
    });
    let mut turns = 0;
    while !reader.is_finished() {
        yield_now().await;
        turns += 1;
    }
    assert!(turns > 10, "{turns} turns meanwhile");
}

async fn add(store: &Redb, number: u32, said: &str) -> Result<(), StoreError> {
    let record = suite::record(said, Some(1));
    let mut decide = |found: &mut [Option<Record>]| found[0] = Some(record.clone());
    store.transact(&[key("", &number.to_string())], &mut decide).await
}

const KEYS: [&str; 2] = [
    "8f5d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea",
    "0d1c6e0b7a49d2c3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5a6b7c8d9ea8f",
];

fn sealed(path: &Path, keys: &[&str]) -> Result<Redb, OpenError> {
    let keys = keys.join(" ");
    Redb::open(path, (!keys.is_empty()).then(|| keys.parse::<Keys>().expect("keys")))
}

fn contains(path: &Path, text: &str) -> bool {
    std::fs::read(path).expect("it is there").windows(text.len()).any(|found| found == text.as_bytes())
}
