//! What a file does beside what every store does.

mod disk;

use std::sync::atomic::{AtomicU32, AtomicU64};

use self::disk::Disk;
use super::*;
use crate::store::suite::{self, add_one, finish, get, key, put};

/// A folder for files of records.
struct Folder(tempfile::TempDir, AtomicU32);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"), AtomicU32::new(0))
    }

    /// A new file.
    fn next(&self) -> std::path::PathBuf {
        self.0.path().join(format!("{}.redb", self.1.fetch_add(1, Ordering::Relaxed)))
    }
}

fn open(path: &Path) -> Redb {
    Redb::open(path, Codec).expect("it opens")
}

/// Records on a disk that can fail.
fn on(disk: &Disk) -> Result<Redb, OpenError> {
    let disk = disk.clone();
    Redb::from_source(move || open::database(Path::new("disk"), disk.clone()), Codec)
}

#[test]
fn a_file_is_a_store() {
    let folder = Folder::new();
    suite::test(|| Arc::new(open(&folder.next())));
}

#[test]
fn a_file_that_is_opened_again_has_everything() {
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
async fn what_is_closed_says_so_and_lets_go_of_the_file() {
    let path = Folder::new();
    let path = path.next();
    let first = open(&path);
    put(&first, &key("", "a"), Some(("kept", None))).await;
    let error = Redb::open(&path, Codec).err().expect("it is held");
    assert!(error.to_string().ends_with("is held by another process; end that, or use another file"), "{error}");
    first.close().await.expect("it closes");
    let second = open(&path);
    assert_eq!(get(&second, &key("", "a")).await.as_deref(), Some("kept"));
    let error = add_one(&first, &key("", "a")).await.expect_err("it is closed");
    assert_eq!(error.to_string(), "the store failed: it is closed");
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let path = folder.next();
    drop(open(&path));
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn only_the_first_inherits() {
    let folder = Folder::new();
    let store = open(&folder.next());
    assert!(store.is_inherited());
    assert!(!store.is_inherited(), "others in the same process may be at work");
}

/// As many writers as clients of a busy broker.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_decisions_share_a_commit() {
    const WRITERS: u64 = 64;
    const TIMES: u64 = 8;
    let disk = Disk::default();
    let store = Arc::new(on(&disk).expect("it opens"));
    let before = disk.syncs();
    let writers = (0..WRITERS).map(|writer| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            for _ in 0..TIMES {
                add_one(&*store, &key("", &writer.to_string())).await.expect("it is stored");
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        finish(writer).await.expect("it did not panic");
    }
    let syncs = disk.syncs() - before;
    assert!(syncs < WRITERS * TIMES / 8, "{syncs} syncs for {} decisions", WRITERS * TIMES);
}

/// The power goes off at any moment: what was not synced is there in part, and what was answered is there whole.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_survives_a_power_cut() {
    const WRITERS: usize = 8;
    let disk = Disk::default();
    let store = Arc::new(on(&disk).expect("it opens"));
    let answered: Arc<Vec<AtomicU64>> = Arc::new((0..WRITERS).map(|_| AtomicU64::new(0)).collect());
    let writers = (0..WRITERS).map(|writer| {
        let (store, answered) = (Arc::clone(&store), Arc::clone(&answered));
        tokio::spawn(async move {
            loop {
                add_one(&*store, &key("", &writer.to_string())).await.expect("it is stored");
                answered[writer].fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for cut in 0..100 {
        disk.next_write().await;
        let told: Vec<_> = answered.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        let after = on(&disk.cut(cut)).expect("it opens after the cut");
        for (writer, told) in told.iter().enumerate() {
            let found =
                get(&after, &key("", &writer.to_string())).await.map_or(0, |said| said.parse().expect("a number"));
            assert!(found >= *told, "cut {cut}: writer {writer} was told {told}, and finds {found}");
        }
        let due = after.due(Timestamp(u64::MAX), None, 100).await.expect("they can be read");
        let uses = after.uses().await.expect("they can be read");
        assert_eq!(u64::try_from(due.len()).ok(), Some(uses.iter().map(|one| one.instances).sum()), "indexes agree");
    }
    for writer in writers {
        writer.abort();
    }
}

/// No room: an error, and nothing is lost. Room again: it goes on by itself.
#[tokio::test]
async fn a_full_disk_fails_until_there_is_room() {
    let disk = Disk::default();
    let store = on(&disk).expect("it opens");
    let long = "long ".repeat(2000);
    let mut kept = 0;
    disk.limit(disk.len_now() + 300_000);
    let error = loop {
        match add(&store, kept, &long).await {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 1000, "it never gets full");
    };
    assert!(error.to_string().contains("no room"), "{error}");
    assert!(add(&store, kept, &long).await.is_err(), "still full");
    disk.limit(u64::MAX);
    finish(add(&store, kept, &long)).await.expect("there is room");
    for number in 0..=kept {
        assert!(get(&store, &key("", &number.to_string())).await.is_some(), "{number} was answered");
    }
}

async fn add(store: &Redb, number: u32, said: &str) -> Result<(), StoreError> {
    let record = crate::store::samples::record(said, Some(1));
    store.transact(&key("", &number.to_string()), &mut |found| *found = Some(record.clone())).await
}
