//! Tests of a store in a file, in addition to the suite for stores.

mod disk;
mod opening;
mod writing;

use std::sync::atomic::{AtomicU32, AtomicU64};

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
    let disk = disk.clone();
    let source = move |make| {
        open::database(disk.clone(), make, &Codec::default())
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

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = Folder::with_path();
    drop(open(&path));
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn a_device_is_refused() {
    let error = Redb::open(Path::new("/dev/null"), None).err().expect("nothing can be kept there");
    assert_eq!(error.to_string(), "/dev/null is not a regular file; use another path");
}

#[test]
fn only_the_first_caller_takes_over_without_waiting_for_leases() {
    let folder = Folder::new();
    let store = open(&folder.next());
    assert!(store.take_recovery());
    assert!(!store.take_recovery(), "others in the same process may be at work");
}

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

/// Pretends that the last commit had this number of waiters and took this long.
fn last_commit(store: &Redb, expected_waiters: usize, delay: Duration) {
    let last = LastCommit { expected_waiters, delay, ..LastCommit::default() };
    *store.file.last.lock().expect("not poisoned") = last;
}

/// Longer than any test.
const HOUR: Duration = Duration::from_hours(1);

#[tokio::test]
async fn a_commit_waits_for_as_many_decisions_as_the_last_one_had() {
    let disk = Disk::default();
    let store = on(&disk).expect("it opens");
    let syncs = disk.syncs();
    add(&store, 0, "alone").await.expect("it is stored");
    let once = disk.syncs() - syncs;
    last_commit(&store, 3, HOUR);
    let (first, second) = (add(&store, 1, "back"), add(&store, 2, "back"));
    let third = async {
        // Gives the runtime time to commit the other two, which it must not do yet.
        for _ in 0..100 {
            yield_now().await;
        }
        add(&store, 3, "back at last").await
    };
    let (first, second, third) = finish(async { tokio::join!(first, second, third) }).await;
    first.and(second).and(third).expect("they are stored");
    assert_eq!(disk.syncs() - syncs, 2 * once, "they share a commit");
    assert_eq!(store.file.last().expected_waiters, 3);
}

#[tokio::test]
async fn a_commit_is_delayed_once_and_no_longer_than_the_last_one_took() {
    const TOOK: Duration = Duration::from_millis(20);
    let store = on(&Disk::default()).expect("it opens");
    last_commit(&store, 2, TOOK);
    let began = Instant::now();
    finish(add(&store, 0, "alone")).await.expect("it is stored");
    assert!(began.elapsed() >= TOOK, "{:?}", began.elapsed());
    last_commit(&store, store.file.last().expected_waiters, HOUR);
    finish(add(&store, 1, "still alone")).await.expect("it is stored");
}

#[tokio::test]
async fn a_dropped_request_does_not_delay_the_next_commit() {
    let store = on(&Disk::default()).expect("it opens");
    last_commit(&store, 2, Duration::from_millis(20));
    assert!(poll_once(&store, 0).await, "it waits for a second decision");
    finish(async {
        while get(&store, &key("", "0")).await.is_none() {
            yield_now().await;
        }
    })
    .await;
    last_commit(&store, store.file.last().expected_waiters, HOUR);
    finish(add(&store, 1, "next")).await.expect("it is stored");
}

/// Polls a request that adds a record once, and drops it. Returns true if it was pending.
async fn poll_once(store: &Redb, number: u32) -> bool {
    let mut adding = std::pin::pin!(add(store, number, "one"));
    std::future::poll_fn(|context| std::task::Poll::Ready(adding.as_mut().poll(context))).await.is_pending()
}

/// After a power cut at any write, acknowledged decisions are complete, and others may be missing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_decisions_survive_a_power_cut() {
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
                yield_now().await;
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for cut in 0..100 {
        disk.next_write().await;
        let acknowledged: Vec<_> = answered.iter().map(|count| count.load(Ordering::SeqCst)).collect();
        let after = on(&disk.cut(cut)).expect("it opens after the cut");
        for (writer, acknowledged) in acknowledged.iter().enumerate() {
            let found =
                get(&after, &key("", &writer.to_string())).await.map_or(0, |said| said.parse().expect("a number"));
            assert!(found >= *acknowledged, "cut {cut}, writer {writer}: {acknowledged} acknowledged, {found} found");
        }
        let due = after.due(Timestamp::MAX, None, 100).await.expect("they can be read");
        let uses = after.plan_usage().await.expect("they can be read");
        assert_eq!(u64::try_from(due.len()).ok(), Some(uses.iter().map(|one| one.instances).sum()), "indexes agree");
    }
    for writer in writers {
        writer.abort();
    }
}

/// A full disk loses no acknowledged write, and writes succeed again when there is space, without a restart.
#[tokio::test]
async fn a_full_disk_fails_writes_until_there_is_space() {
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
    // On a slow machine the store pauses before it tries again.
    finish(async {
        while add(&store, kept, &long).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    for number in 0..=kept {
        assert!(get(&store, &key("", &number.to_string())).await.is_some(), "{number} was answered");
    }
}

/// Each write that fails would let polls and fetches wait until the whole file has been checked again.
#[tokio::test]
async fn a_full_disk_opens_a_large_file_for_reads_and_tries_writes_from_time_to_time() {
    let (disk, opened) = (Disk::default(), Arc::<AtomicU32>::default());
    let (made, count) = (disk.clone(), Arc::clone(&opened));
    let source = move |creation| {
        count.fetch_add(1, Ordering::SeqCst);
        let failed = |failure| OpenError::new(Path::new("disk"), failure);
        open::database(made.clone(), creation, &Codec::default()).map_err(failed)
    };
    let store = Redb::from_source(source, Codec::default(), None).expect("it opens");
    let (kept, long) = (key("", "kept"), "long ".repeat(2000));
    put(&store, &kept, Some(("kept", None))).await;
    disk.limit(disk.len_now());
    let mut number = 0;
    while add(&store, number, &long).await.is_ok() {
        number += 1;
    }
    assert_eq!(get(&store, &kept).await.as_deref(), Some("kept"));
    assert!(lock(&store.file.last).reopening > Duration::ZERO, "the read has opened it again");
    lock(&store.file.last).reopening = Duration::from_secs(5);
    add(&store, number, &long).await.expect_err("the disk is full");
    for _ in 0..5 {
        let error = add(&store, number, &long).await.expect_err("it is not tried again");
        assert!(error.to_string().contains("no room"), "{error}");
        assert_eq!(get(&store, &kept).await.as_deref(), Some("kept"));
    }
    assert_eq!(opened.load(Ordering::SeqCst), 3);
    disk.limit(u64::MAX);
    let refusal = lock(&store.file.refusal).take();
    assert!(refusal.is_some_and(|(_, until)| until > Instant::now() + Duration::from_secs(10)));
    add(&store, number, &long).await.expect("there is room");
    assert_eq!(lock(&store.file.last).reopening, Duration::ZERO);
}

#[tokio::test]
async fn a_removed_file_is_not_created_again_while_the_store_is_open() {
    let (folder, path) = Folder::with_path();
    let store = open(&path);
    put(&store, &key("", "a"), Some(("kept", None))).await;
    let elsewhere = folder.next();
    std::fs::rename(&path, &elsewhere).expect("it is moved");
    store.file.broken(redb::Error::PreviousIo);
    for _ in 0..2 {
        let error = add_one(&store, &key("", "a")).await.expect_err("it is gone");
        assert!(error.to_string().contains("does not exist or is empty"), "{error}");
        let files = std::fs::read_dir(folder.0.path()).expect("a folder").count();
        assert!(!path.exists() && files == 1, "an empty file would take its place");
    }
    std::fs::write(&path, "").expect("an empty one is there");
    add_one(&store, &key("", "a")).await.expect_err("it has no records");
    std::fs::rename(&elsewhere, &path).expect("it is restored");
    assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("kept"));
}

#[tokio::test]
async fn a_file_that_is_deleted_or_replaced_takes_no_more_writes() {
    let folder = Folder::new();
    let (path, aside, other) = (folder.next(), folder.next(), folder.next());
    let store = open(&path);
    put(&store, &key("", "a"), Some(("1", None))).await;
    std::fs::rename(&path, &aside).expect("it is moved");
    drop(open(&other));
    for replaced in [false, true] {
        if replaced {
            std::fs::copy(&other, &path).expect("another file is there");
        }
        let error = add_one(&store, &key("", "a")).await.expect_err("it would be lost");
        assert!(error.to_string().contains("was deleted or replaced while it was open"), "{error}");
        store.file.path.as_ref().expect("it has a path").lock().expect("no panic").checked_until = Instant::now();
        let read = store.read(&key("", "a"), &mut |_| ()).await;
        assert!(read.is_err(), "readiness fails");
    }
    std::fs::rename(&aside, &path).expect("it is restored");
    add_one(&store, &key("", "a")).await.expect("it is the same file");
}

#[tokio::test]
async fn a_file_whose_path_cannot_be_followed_is_not_said_to_be_deleted() {
    let folder = Folder::new();
    let inner = folder.next();
    std::fs::create_dir(&inner).expect("a folder");
    let store = open(&inner.join("records.redb"));
    std::fs::rename(&inner, folder.next()).expect("it is moved");
    std::fs::write(&inner, "").expect("a file is there");
    let error = add_one(&store, &key("", "a")).await.expect_err("it may be another file").to_string();
    assert!(error.contains("which is open, can't be looked up: Not a directory"), "{error}");
}

/// The disk has failed, and the file was restored before the next request.
#[tokio::test]
async fn a_file_that_is_replaced_after_a_failure_is_opened_again() {
    let folder = Folder::new();
    let (path, restored) = (folder.next(), folder.next());
    let store = open(&path);
    put(&store, &key("", "a"), Some(("1", None))).await;
    store.file.broken(redb::Error::PreviousIo);
    std::fs::copy(&path, &restored).expect("it is copied");
    std::fs::rename(&restored, &path).expect("it is restored");
    for number in ["2", "3"] {
        add_one(&store, &key("", "a")).await.expect("it is stored");
        assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some(number));
    }
}

/// Health checks run on the same threads as requests.
#[test]
fn other_tasks_run_while_a_file_on_a_slow_disk_is_opened_again() {
    let (disk, slow, opened) = (Disk::default(), Arc::new(std::sync::Mutex::new(())), Arc::<AtomicU32>::default());
    let (made, slowly, count) = (disk.clone(), Arc::clone(&slow), Arc::clone(&opened));
    let source = move |creation| {
        count.fetch_add(1, Ordering::SeqCst);
        drop(slowly.lock());
        let failed = |failure| OpenError::new(Path::new("disk"), failure);
        open::database(made.clone(), creation, &Codec::default()).map_err(failed)
    };
    let store = Arc::new(Redb::from_source(source, Codec::default(), None).expect("it opens"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let read = || {
        let store = Arc::clone(&store);
        runtime.spawn(async move { get(&*store, &key("", "a")).await })
    };
    runtime.block_on(put(&*store, &key("", "a"), Some(("kept", None))));
    let breaks = |openings: u32| {
        let is_slow = slow.lock().expect("no panic");
        store.file.broken(redb::Error::PreviousIo);
        let first = read();
        while opened.load(Ordering::SeqCst) < openings {
            std::thread::yield_now();
        }
        (is_slow, first)
    };
    let (is_slow, first) = breaks(2);
    let second = read();
    let (run, has_run) = std::sync::mpsc::channel();
    runtime.spawn(async move { run.send(()) });
    let has_run = has_run.recv_timeout(Duration::from_secs(10));
    drop(is_slow);
    for read in [first, second] {
        assert_eq!(runtime.block_on(read).expect("no panic").as_deref(), Some("kept"));
    }
    has_run.expect("it ran meanwhile");

    // The file is not open when the store has been closed.
    let (is_slow, first) = breaks(3);
    let (close, is_closed) = std::sync::mpsc::channel();
    let closing = Arc::clone(&store);
    runtime.spawn(async move { close.send(closing.close().await) });
    is_closed.recv_timeout(Duration::from_millis(100)).expect_err("it is still being opened");
    drop(is_slow);
    is_closed.recv().expect("it ends").expect("it is closed");
    // It may have come too late.
    _ = runtime.block_on(first);
}

#[test]
fn an_empty_file_is_refused() {
    let (folder, path) = Folder::with_path();
    std::fs::write(&path, "").expect("it is written");
    let error = Redb::open(&path, None).map(drop).expect_err("it may have lost its records");
    assert!(!error.is_wrong_key() && error.to_string().contains("is empty: it has lost its records"), "{error}");
    assert_eq!(std::fs::metadata(&path).expect("it is there").len(), 0);
    std::fs::remove_file(&path).expect("it is deleted");
    drop(open(&path));
    drop(open(&path));
    let left: Vec<_> = std::fs::read_dir(folder.0.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn the_store_recovers_from_a_panic_in_redb() {
    let disk = Disk::default();
    let store = on(&disk).expect("it opens");
    add(&store, 0, "before").await.expect("it is stored");
    disk.panic_once();
    let error = finish(add(&store, 1, "never")).await.expect_err("it panicked");
    assert!(error.to_string().contains("panicked"), "{error}");
    finish(add(&store, 2, "after")).await.expect("it is stored");
    assert_eq!(get(&store, &key("", "0")).await.as_deref(), Some("before"));
    assert_eq!(get(&store, &key("", "1")).await, None);
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

#[tokio::test]
async fn a_commit_may_begin_later_than_waiters_look_for_its_task() {
    let store = on(&Disk::default()).expect("it opens");
    last_commit(&store, 2, ORPHAN_CHECK + Duration::from_millis(200));
    finish(add(&store, 1, "alone")).await.expect("it is stored");
}

/// Two runtimes share a store, and the runtime with the committing task ends before the commit.
#[test]
fn a_batch_whose_runtime_ended_fails() {
    let folder = Folder::new();
    let store = open(&folder.next());
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (first, second) = (runtime(), runtime());
    assert!(first.block_on(poll_once(&store, 1)), "it waits for its commit, which has not begun");
    let mut waits = Box::pin(add(&store, 2, "other"));
    let began = second
        .block_on(std::future::poll_fn(|context| std::task::Poll::Ready(waits.as_mut().poll(context).is_pending())));
    assert!(began, "it waits for the same commit");
    drop(first);
    let error = second.block_on(finish(waits)).expect_err("it was not committed");
    assert_eq!(error.to_string(), "the store failed: the commit was interrupted");
    second.block_on(finish(add(&store, 3, "next"))).expect("it is stored");
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

/// Stores records with these names and texts in a file, sealed with the first key.
async fn seal(path: &Path, names: &[&str]) {
    let store = sealed(path, &[KEYS[0]]).expect("it opens");
    for name in names {
        put(&store, &key("", name), Some((name, None))).await;
    }
    store.close().await.expect("it closes");
}

/// Copies the bytes of a record to another one, as a forger can who writes to the file with redb.
fn copy_record(path: &Path, from: &str, to: &str) {
    let database = Database::open(path).expect("it opens");
    let forged = database.begin_write().expect("it can be written");
    let stored = tables::current(&forged, &key("", from).to_bytes()).expect("it can be read").expect("it is there");
    overwrite(forged, &key("", to), &stored, &tables::Facts::default());
}

fn contains(path: &Path, text: &str) -> bool {
    std::fs::read(path).expect("it is there").windows(text.len()).any(|found| found == text.as_bytes())
}

#[tokio::test]
async fn keys_can_be_introduced_replaced_and_removed() {
    let (folder, path) = Folder::with_path();
    let add = async |keys: &[&str], name: &str| {
        let store = sealed(&path, keys).expect("it opens");
        put(&store, &key("", name), Some(("a secret", Some(1)))).await;
        store.close().await.expect("it closes");
    };
    let opens = |keys: &[&str]| {
        let refused = sealed(&path, keys).map(|store| assert_eq!(store.is_sealed(), !keys.is_empty()));
        refused.map_err(|error| {
            assert!(error.is_wrong_key(), "{error}");
            error.to_string()
        })
    };
    let reseal = |keys: &str| reseal(&path, keys.parse().expect("keys"), &mut |_| {});

    add(&[], "open").await;
    assert!(contains(&path, "a secret"));
    opens(&[]).expect("it is not sealed");
    let said = opens(&[KEYS[0]]).expect_err("unsealed records could be forged");
    assert!(said.contains("was written without a key, and has records that are not encrypted (1); "), "{said}");
    assert_eq!(reseal(KEYS[0]).expect("it is sealed"), 1);
    assert!(!contains(&path, "a secret"), "no plain text is left");
    add(&[KEYS[0]], "sealed").await;
    let said = opens(&[]).expect_err("it is sealed");
    assert!(said.contains("are encrypted with the key 607ee9eac1e8c42f, "), "{said}");
    assert!(said.starts_with("2 records in ") && said.ends_with("and no key was given; give that key"), "{said}");
    let said = opens(&[KEYS[1]]).expect_err("another key");
    assert!(said.ends_with("which is not among the given keys; add that key after the newest one"), "{said}");

    add(&[KEYS[1], KEYS[0]], "sealed anew").await;
    opens(&[KEYS[1]]).expect_err("two are sealed with the old one");
    assert_eq!(reseal(&format!("{} {}", KEYS[1], KEYS[0])).expect("it is sealed"), 3);
    opens(&[KEYS[1]]).expect("the old one is not needed any more");
    let store = sealed(&path, &[KEYS[1]]).expect("the old one is not needed any more");
    for name in ["open", "sealed", "sealed anew"] {
        assert_eq!(get(&store, &key("", name)).await.as_deref(), Some("a secret"));
    }
    assert_eq!(store.due(Timestamp::from_millis(1), None, 9).await.expect("indexes are there").len(), 3);
    drop(store);
    assert_eq!(std::fs::read_dir(folder.0.path()).expect("a folder").count(), 1, "no other file is left");
    assert!(reseal(KEYS[0]).is_err(), "not without the key that it is sealed with");
}

#[tokio::test]
async fn a_key_is_not_needed_when_its_last_record_is_removed() {
    let (_folder, path) = Folder::with_path();
    let new = &[KEYS[1], KEYS[0]][..];
    seal(&path, &["a", "b", "c"]).await;
    let store = sealed(&path, new).expect("it opens");
    put(&store, &key("", "a"), None).await;
    bury(&store, &key("", "b"), "sealed anew").await;
    store.close().await.expect("it closes");
    let error = sealed(&path, &[KEYS[1]]).err().expect("one is sealed with the old key");
    assert!(error.to_string().contains(" is encrypted with the key 607ee9eac1e8c42f, "), "{error}");

    let store = sealed(&path, new).expect("it opens");
    put(&store, &key("", "c"), None).await;
    store.close().await.expect("it closes");
    let store = sealed(&path, &[KEYS[1]]).expect("the old key is not needed any more");
    store.forget(Timestamp::from_millis(1)).await.expect("the tombstone is removed");
    store.close().await.expect("it closes");
    drop(open(&path));
}

#[tokio::test]
async fn a_failed_reseal_leaves_no_copy_and_names_the_file_that_failed() {
    let (folder, path) = Folder::with_path();
    seal(&path, &["a"]).await;
    let names = || {
        let mut names = opening::names(folder.0.path());
        names.sort();
        names
    };
    let before = names();
    let reseal = || {
        let keys = format!("{} {}", KEYS[1], KEYS[0]).parse().expect("keys");
        reseal(&path, keys, &mut |_| {}).expect_err("it fails").to_string()
    };

    let copy = format!("{}.resealed", path.display());
    std::fs::create_dir(&copy).expect("it is made");
    assert_eq!(reseal(), format!("{copy} is a folder; name a file in it"));
    std::fs::remove_dir(&copy).expect("it is there");

    copy_record(&path, "a", "b");
    let said = reseal();
    assert!(said.starts_with(&format!("{} has an unreadable record: ", path.display())), "{said}");
    assert_eq!(names(), before);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_link_to_a_file_that_does_not_exist_yet_creates_that_file() {
    use std::{fs, os::unix::fs::symlink};
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let (first, second, path) = (folder.next(), elsewhere.next(), elsewhere.next());
    symlink(&second, &first).expect("it is linked");
    symlink(path.file_name().expect("a name"), &second).expect("it is linked, from its own folder");
    drop(open(&first));
    for link in [&first, &second] {
        assert!(fs::symlink_metadata(link).expect("it is there").is_symlink());
    }
    assert!(fs::symlink_metadata(&path).expect("it is created").is_file());
    assert_eq!(fs::read_dir(elsewhere.0.path()).expect("a folder").count(), 2, "no other file is left");
}

#[cfg(unix)]
#[test]
fn resealing_keeps_the_path_the_owner_and_the_mode() {
    use std::{
        fs,
        os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink},
    };
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let (link, path) = (folder.next(), elsewhere.next());
    drop(open(&path));
    symlink(&path, &link).expect("it is linked");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("its group may read it");
    // Succeeds for root only.
    _ = chown(&path, Some(65534), Some(65534));
    let before = fs::metadata(&path).expect("it is there");

    reseal(&link, KEYS[0].parse().expect("a key"), &mut |_| {}).expect("it is sealed");
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
    let after = fs::metadata(&path).expect("it is there");
    assert_ne!(after.ino(), before.ino(), "it is a new one");
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    for folder in [folder, elsewhere] {
        assert_eq!(fs::read_dir(folder.0.path()).expect("a folder").count(), 1, "no other file is left");
    }
}

#[cfg(unix)]
#[test]
fn resealing_does_not_write_through_a_link_of_another_user() {
    use std::{fs, os::unix::fs::symlink};
    let (folder, elsewhere) = (Folder::new(), Folder::new());
    let (path, planted) = (folder.next(), elsewhere.next());
    drop(open(&path));
    let link = path.with_added_extension("resealed");
    symlink(&planted, &link).expect("it is linked");

    let error = reseal(&path, KEYS[0].parse().expect("a key"), &mut |_| {}).expect_err("the name is taken");
    assert!(error.to_string().contains("resealed"), "{error}");
    assert!(!planted.exists() && fs::symlink_metadata(&path).expect("it is there").is_file());
    drop(open(&path));
}

#[tokio::test]
async fn a_moved_record_is_refused_and_others_are_not() {
    let (_folder, path) = Folder::with_path();
    seal(&path, &["a", "b", "c"]).await;
    copy_record(&path, "a", "b");
    let store = sealed(&path, &[KEYS[0]]).expect("it opens");
    assert_eq!(get(&store, &key("", "a")).await.as_deref(), Some("a"));
    let error = store.read(&key("", "b"), &mut |_| panic!("it is not shown")).await.expect_err("it was moved");
    assert!(error.to_string().contains("its seal is broken"), "{error}");
    assert!(add_one(&store, &key("", "b")).await.is_err());
    put(&store, &key("", "c"), Some(("still", None))).await;
    assert_eq!(get(&store, &key("", "c")).await.as_deref(), Some("still"));
}

#[tokio::test]
async fn a_forged_unsealed_record_is_refused() {
    let (_folder, path) = Folder::with_path();
    let store = sealed(&path, &[KEYS[0]]).expect("it opens");
    put(&store, &key("", "a"), Some(("a", Some(1)))).await;
    let forged = Codec::write(&suite::record("forged", None)).expect("it can be written");
    // After the check at opening, which counts unsealed records.
    let transaction = store.file.begin_write().await.expect("it can be written");
    overwrite(transaction, &key("", "a"), &forged, &tables::Facts::default());
    let error = store.read(&key("", "a"), &mut |_| panic!("it is not shown")).await.expect_err("it was forged");
    assert!(error.to_string().contains("it is not encrypted"), "{error}");
}

/// Encrypting it would make the forged record as good as the others.
#[tokio::test]
async fn a_forged_unsealed_record_is_not_resealed() {
    let (_folder, path) = Folder::with_path();
    seal(&path, &["a", "b", "c"]).await;
    let database = Database::open(&path).expect("it opens");
    let plain = Codec::write(&suite::record("forged", None)).expect("it can be written");
    let forged = database.begin_write().expect("it can be written");
    // Without the count of unsealed records, which is checked at opening.
    let records = redb::TableDefinition::<&[u8], &[u8]>::new("live");
    let mut table = forged.open_table(records).expect("it is there");
    table.insert(&key("", "b").to_bytes()[..], &plain[..]).expect("it is written");
    drop(table);
    forged.commit().expect("it is written");
    drop(database);
    let reseal = || {
        let keys = format!("{} {}", KEYS[1], KEYS[0]).parse().expect("keys");
        reseal(&path, keys, &mut |_| {}).expect_err("it is forged").to_string()
    };
    let expected = format!("{} has encrypted records, and others that are not", path.display());
    let said = reseal();
    assert!(said.starts_with(&expected), "{said}");

    let database = Database::open(&path).expect("it opens");
    let forged = database.begin_write().expect("it can be written");
    overwrite(forged, &key("", "c"), &plain, &tables::Facts::default());
    drop(database);
    let error = sealed(&path, &[KEYS[0]]).err().expect("it is forged");
    assert!(error.to_string().starts_with(&expected) && error.is_wrong_key(), "{error}");
    assert_eq!(reseal(), said);
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

/// A crash would lose the change that the decision has seen.
#[tokio::test]
async fn a_decision_that_changes_nothing_waits_until_what_it_has_seen_is_durable() {
    let folder = Folder::new();
    let (store, key) = (open(&folder.next()), key("", "a"));
    let seen_in_file = async {
        let mut seen = None;
        let mut look = |found: &mut [Option<Record>]| seen = suite::text(found[0].as_ref());
        store.transact(std::slice::from_ref(&key), &mut look).await.expect("it is read");
        assert_eq!(seen.as_deref(), Some("new"), "it has seen the change");
        get(&store, &key).await
    };
    // A read sees the last commit.
    let ((), durable) = tokio::join!(biased; put(&store, &key, Some(("new", None))), seen_in_file);
    assert_eq!(durable.as_deref(), Some("new"));
}
